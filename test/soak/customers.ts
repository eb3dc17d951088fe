import type { Client } from '../crash/load.ts';
import { CHAT, GEMINI, IMAGES, MESSAGES, RESPONSES, type Shape } from '../crash/shapes.ts';

export type SoakCustomer = Omit<Client, 'url'>;

/** Whose model each protocol asks for when its calls are to be converted: never one of its own vendor. */
const OTHERS: Readonly<Record<string, Shape>> = {
  [CHAT.name]: MESSAGES,
  [RESPONSES.name]: GEMINI,
  [MESSAGES.name]: CHAT,
  [GEMINI.name]: MESSAGES,
};

/** The same client for a model of another vendor, which costs what that model costs. */
export function converted(shape: Shape): Shape {
  const other = OTHERS[shape.name];
  if (other === undefined) return shape;
  const { model, vendor, price } = other;
  return {
    ...shape,
    ...{ model, vendor, price },
    path: (way) => shape.path(way).replace(shape.model, model),
    body: (prompt, way) => {
      const body = shape.body(prompt, way);
      return 'model' in body ? { ...body, model } : body;
    },
  };
}

/** What vendors do to some calls: an error at once, a reset in the middle, a silence, an odd end. */
const FAULTS = ['status@503', 'reset@6', 'pause@3:1500', 'no-terminator'] as const;
const FAULT_SHARE = 0.2;

/** A vendor obeys what stands in the prompt, so the client asks for its own bad luck. */
export function unlucky(random: () => number): (shape: Shape) => Shape {
  return (shape) => ({
    ...shape,
    body: (prompt, way) => {
      const fault = FAULTS[Math.floor(random() * FAULTS.length)];
      return shape.body(random() < FAULT_SHARE ? prompt.replace(']]', ` fault=${fault}]]`) : prompt, way);
    },
  });
}

/**
 * Those who pay in each way; one more whose calls are converted, and one without luck. Who has a fallback
 * model is left out: while a vendor refuses, nobody can say at which price he is served.
 */
export function variedCustomers(
  customers: readonly SoakCustomer[],
  random: () => number,
): readonly SoakCustomer[] {
  const [first] = customers;
  if (first === undefined) throw new Error('somebody calls');
  return [
    ...customers.filter(({ reshape }) => reshape === undefined),
    { ...first, reshape: (shape) => (shape === IMAGES ? shape : converted(shape)) },
    { ...first, reshape: unlucky(random) },
  ];
}
