/** The words of a payment's schedules. */
import { keeping, type Schedule as ScheduleOf } from '../../hostile/schedule';
import { play, type Step, type Story } from './stories';

export type Schedule = ScheduleOf<Story['traits'], Step>;
export const keeps = keeping(play);

export const SECOND = 1_000;

export const wait = (ms: number): Step => ({ do: 'wait', ms });
export const notify: Step = { do: 'notify', times: 1 };
export const paid: Step = { do: 'paid' };
export const resolve = (outcome: 'CANCEL' | 'SUCCESS'): Step => ({ do: 'resolve', outcome });
export const another = (isPaid: boolean, silently = false): Step => ({ do: 'another trade', paid: isPaid, silently });
/** Creations that never reach the gateway. */
export const neverSent = { creations: Array.from({ length: 200 }, () => 'unreachable' as const) };
/** Money that a gateway sends back without a person's help. */
export const refunding = { late: 'refund', method: 'Wallet' } as const;
export const unanswered: Step = { do: 'outage', kind: '429' };
