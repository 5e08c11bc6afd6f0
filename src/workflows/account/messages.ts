/** What others send an account. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import {
  type AccountHandover,
  type AccountResolution,
  type DepositSignal,
  type DepositStanding,
  QUERY,
  SIGNAL,
  type SpeiAccountState,
  type Taking,
  UPDATE,
} from '../../contract';

export const speiAccountStateQuery = defineQuery<SpeiAccountState>(QUERY.state);
export const depositsQuery = defineQuery<DepositStanding[], [out_trade_nos: string[]]>(QUERY.deposits);
/** What the run would hand on: asked by the next run, if this one was terminated. */
export const accountCarriedQuery = defineQuery<AccountHandover>(QUERY.carried);
export const depositSignal = defineSignal<[DepositSignal]>(SIGNAL.deposit);
export const cancelAccountUpdate = defineUpdate<SpeiAccountState>(UPDATE.cancel);
export const recheckAccountUpdate = defineUpdate<SpeiAccountState>(UPDATE.recheck);
export const takeAccountUpdate = defineUpdate<SpeiAccountState, [Taking]>(UPDATE.take);
export const resolveAccountUpdate = defineUpdate<SpeiAccountState, [AccountResolution]>(UPDATE.resolve);
