/** Requests for virtual accounts. */
import { randomUUID } from 'node:crypto';
import type { NewSpeiAccount } from '../../src/gateway';

export const accountRequest = (
  buyer_id = `buyer-${randomUUID()}`,
): NewSpeiAccount & { customer: { buyer_id: string } } => ({
  customer: {
    buyer_id,
    email: 'sofia@example.com',
    name: 'Sofía Hernández',
    identify: { number: 'HESO900101MDFRFF09', type: 'CURP' },
  },
});
