/** Virtual accounts as activities: what the gateway says of them, and what Temporal knows of their payments. */
import { activityInfo, getClient, log, metricMeter } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { GatewayError, InvalidRequestError, parseNewSpeiAccount } from '../gateway';
import { childrenOf } from '../visibility-query';
import type { AccountActivities, AccountId, CreateAccountResult } from '../workflows/account-activities';
import { FAILURE, type PaymentState, speiAccountWorkflowId, WORKFLOW } from '../workflows/contract';
import { isAnswer, later, notCreated, refusedHere, tryAgain } from './failures';
import type { GatewayActivitiesOptions } from './gateway-activities';
import { type AccountGateway, gatewayOf } from './gateways';

export interface AccountActivitiesOptions extends Pick<GatewayActivitiesOptions, 'notifyUrl'> {
  /** The gateway by app_id. */
  gateways: ReadonlyMap<string, AccountGateway>;
}

/** Between two looks at a payment that another workflow has started, at first and at the most, in ms. */
const LOOK_EVERY_MS = 1_000;
const LOOK_AT_LEAST_EVERY_MS = 10 * 60_000;

/** The activities of virtual accounts of a worker. */
export function accountActivities({ gateways, notifyUrl }: AccountActivitiesOptions): AccountActivities {
  const gatewayFor = (app_id: string) => gatewayOf(gateways, app_id, 'account');

  const quantityOf = async (app_id: string) => {
    const { available_quantity } = await gatewayFor(app_id).speiAccountQuantity();
    metricMeter
      .createGauge('payments_spei_accounts_available', 'int', undefined, 'virtual accounts that are left to create')
      .set(available_quantity, { app_id });
    return available_quantity;
  };

  return {
    async 'gateway.create-account'({ app_id, request }) {
      const gateway = gatewayFor(app_id);
      try {
        const account = parseNewSpeiAccount({ notify_url: notifyUrl?.(app_id), ...request });
        return { is: 'created', account: await gateway.createSpeiAccount(account) };
      } catch (error) {
        return creationFailed(error);
      }
    },

    'gateway.find-account': (id) => find(gatewayFor(id.app_id), id),

    async 'gateway.watch-account'({ app_id, account_id, seen, first_ms, every_ms }) {
      const gateway = gatewayFor(app_id);
      // The first attempt only starts the schedule: what there is to know now has just been asked.
      if (activityInfo().attempt === 1) throw later('watching', first_ms);
      const found = await find(gateway, { app_id, account_id });
      if (found && found.status !== seen) return found;
      throw later(found ? `still ${seen}` : 'the gateway knows no such account', every_ms);
    },

    async 'gateway.cancel-account'(id) {
      const gateway = gatewayFor(id.app_id);
      try {
        await gateway.cancelSpeiAccount(id.account_id);
      } catch (error) {
        throw isAnswer(error) ? notCanceled(error) : tryAgain(error);
      }
      const found = await find(gateway, id);
      if (found?.status === 'CANCELED') return found;
      throw later(`canceled, and a query says ${found?.status ?? 'that there is no such account'}`, LOOK_EVERY_MS * 10);
    },

    'gateway.account-quantity': ({ app_id }) =>
      quantityOf(app_id).catch((error: unknown) => {
        throw tryAgain(error);
      }),

    async 'gateway.watch-account-quantity'({ app_id, seen, every_ms }) {
      if (activityInfo().attempt === 1) throw later('watching', every_ms);
      const quantity = await quantityOf(app_id).catch((error: unknown) => {
        throw tryAgain(error);
      });
      if (quantity !== seen) return quantity;
      throw later(`still ${seen}`, every_ms);
    },

    async 'payments.account-of-creation'({ app_id, workflow_id }) {
      const query = `${childrenOf(workflow_id, WORKFLOW.speiAccount)} AND ExecutionStatus = 'Running'`;
      const prefix = speiAccountWorkflowId(app_id, '');
      for await (const { workflowId, parentExecution } of getClient().workflow.list({ query })) {
        if (parentExecution?.workflowId === workflow_id) return workflowId.slice(prefix.length);
      }
      return null;
    },

    async 'payments.ended-payment'({ workflow_id }) {
      const handle = getClient().workflow.getHandle<() => Promise<PaymentState>>(workflow_id);
      const { status, parentExecution, runId } = await handle.describe();
      const { attempt } = activityInfo();
      if (status.name === 'RUNNING') {
        throw later('the payment is under way', Math.min(LOOK_EVERY_MS * 2 ** (attempt - 1), LOOK_AT_LEAST_EVERY_MS));
      }
      const parent = parentExecution?.workflowId ?? null;
      // Whatever became of it, it came to no end of its own.
      if (status.name !== 'COMPLETED') return { parent, state: null };
      return {
        parent,
        state: await getClient().workflow.getHandle<() => Promise<PaymentState>>(workflow_id, runId).result(),
      };
    },
  };
}

async function find(gateway: AccountGateway, { account_id }: AccountId) {
  try {
    return await gateway.querySpeiAccount(account_id);
  } catch (error) {
    if (isAnswer(error)) return null;
    throw tryAgain(error);
  }
}

/** What a failed creation means. Throws only where the gateway certainly made no account and may be asked again. */
function creationFailed(error: unknown): CreateAccountResult {
  if (error instanceof InvalidRequestError) throw refusedHere(error.message, error.issues);
  if (!(error instanceof GatewayError)) throw error;
  if (error.outcome === 'not-sent' || error.outcome === 'not-created') return notCreated(error);
  log.warn('the outcome of the creation of a virtual account is unknown', { ...error.fields() });
  return { is: 'unknown', message: error.message };
}

function notCanceled(error: GatewayError): ApplicationFailure {
  return ApplicationFailure.create({
    type: FAILURE.notCanceled,
    message: error.message,
    nonRetryable: true,
    details: [error.fields()],
  });
}
