import { useApi } from '../../api/api.ts';

const ALL = { query: { size: 100 } };
const KEPT = { staleTime: 60_000 };

/** The name of a vendor by its code; the code where there is none. */
export function useVendorNames(): (code: string) => string {
  const vendors = useApi('listVendors', ALL, KEPT).data?.data;
  return (code) => vendors?.find((vendor) => vendor.code === code)?.name ?? code;
}

/** The policies that there are, for names and choices. */
export function usePolicies() {
  return useApi('listPolicies', ALL, KEPT).data?.data ?? [];
}
