import { z } from 'zod';

/** A virtual account (SPEI CLABE) as the simulator keeps it. A schema, since the data file is read back with it. */
export const accountSchema = z.object({
  account_id: z.string(),
  account_number: z.string(),
  app_id: z.string(),
  provider: z.string(),
  beneficiary_name: z.string(),
  status: z.enum(['ACTIVE', 'CANCELED']),
  notify_url: z.string(),
  buyer_id: z.string(),
  /** What a deposit's notification says about the buyer. */
  user: z.object({
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    ip: z.null(),
    identify: z.object({ number: z.string(), type: z.string() }).nullable(),
  }),
  created_at: z.number(),
  canceled_at: z.number().nullable(),
});

/** A virtual account of the simulated gateway. */
export type Account = z.output<typeof accountSchema>;

/** A state of a virtual account. */
export type AccountStatus = Account['status'];
