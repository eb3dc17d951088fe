import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What a file imports that starts databases, servers and programs. */
const STARTS = /from '[./]+\/(?:test\/)?support\//;

/**
 * The order of files: by the time that each took in the last run. Without a last run the runner takes the
 * largest first, but a short file that starts servers takes longer than a long one that computes, and would
 * keep the end of the run waiting.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project.name);
    return [...byProject.values()].flatMap((own) =>
      own.some((file) => this.#isKnown(file)) ? own : order(own),
    );
  }

  #isKnown(file: TestSpecification): boolean {
    return this.ctx.cache.getTestSpecificationResult(file) !== undefined;
  }
}

function order(files: readonly TestSpecification[]): TestSpecification[] {
  const { starts = [], computes = [] } = Object.groupBy(files, ({ moduleId }) =>
    STARTS.test(readFileSync(moduleId, 'utf8')) ? 'starts' : 'computes',
  );
  return [...starts, ...computes];
}
