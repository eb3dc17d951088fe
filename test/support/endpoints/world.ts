import { startWorld, type World, type WorldOptions } from '../world.ts';
import { type EndpointCatalogOptions, endpointCatalog } from './catalog.ts';

/** A world in which every call of the table is served. */
export function startEndpointWorld(
  options: EndpointCatalogOptions & Omit<WorldOptions, 'catalog' | 'environmentFrom'> = {},
): Promise<World> {
  const { secrets, vertex, ...rest } = options;
  return startWorld({
    ...rest,
    catalog: endpointCatalog({ ...(secrets && { secrets }), ...(vertex && { vertex }) }),
    environmentFrom: ({ clouds }) => ({ SERVICE_ACCOUNT: JSON.stringify(clouds.serviceAccount()) }),
  });
}
