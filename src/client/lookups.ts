/** Questions to the gateway for a merchant's backend, which has none of its keys: the worker asks (sections 4.5 to 4.7). */
import { createHash } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import {
  type Bank,
  type BankListAnswer,
  type BankListInput,
  type BankListRequest,
  type InstallmentPlan,
  type InstallmentsAnswer,
  type InstallmentsInput,
  type InstallmentsRequest,
  lookupWorkflowId,
  WALLET_TOKEN,
  type WalletTokenAnswer,
  type WalletTokenInput,
  type WalletTokenRequest,
  WORKFLOW,
} from '../contract';
import { newSealingKeys, open } from '../gateway/sealing';
import { isUnreachable, isWithoutAnswer } from '../temporal/call-errors';
import type { CallOptions } from './client-error';
import { type LookupError, NotAnsweredError } from './errors';
import { lookupErrorOf } from './failures';

export class Lookups {
  constructor(private readonly options: CallOptions) {}

  async banks(request: BankListRequest): Promise<Bank[]> {
    const { app_id } = this.options;
    const { banks } = await this.ask<BankListInput, BankListAnswer>(WORKFLOW.bankList, { app_id, request });
    return banks;
  }

  async installments(request: InstallmentsRequest): Promise<InstallmentPlan[]> {
    const { app_id } = this.options;
    const input = { app_id, request };
    const { plans } = await this.ask<InstallmentsInput, InstallmentsAnswer>(WORKFLOW.installments, input);
    return plans;
  }

  /** The token crosses Temporal sealed to a key that lives for this call only. */
  async walletToken(request: WalletTokenRequest): Promise<string> {
    const { app_id } = this.options;
    const { privateJwks, publicJwk } = await newSealingKeys(WALLET_TOKEN);
    const input = { app_id, request, seal_to: { ...publicJwk, kty: 'EC' } };
    const sealed = await this.ask<WalletTokenInput, WalletTokenAnswer>(WORKFLOW.walletToken, input);
    return open(sealed, privateJwks.keys, { app_id, out_trade_no: WALLET_TOKEN });
  }

  /** Callers that ask the same at the same moment share one question. */
  private async ask<Input, Answer>(type: string, input: Input): Promise<Answer> {
    const { client, app_id, taskQueue, answerTimeoutMs } = this.options;
    const digest = createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 32);
    try {
      return await client.withDeadline(Date.now() + answerTimeoutMs, () =>
        client.workflow.execute<(input: Input) => Promise<Answer>>(type, {
          workflowId: lookupWorkflowId(app_id, type, digest),
          taskQueue,
          args: [input],
          workflowIdConflictPolicy: 'USE_EXISTING',
          workflowExecutionTimeout: answerTimeoutMs,
        }),
      );
    } catch (error) {
      throw this.errorOf(error, type);
    }
  }

  private errorOf(error: unknown, type: string): unknown {
    if (error instanceof WorkflowFailedError) return lookupErrorOf(error.cause, type) ?? this.noAnswer(type);
    if (isUnreachable(error)) return new NotAnsweredError('Temporal could not be reached. Ask again.', type);
    return isWithoutAnswer(error) ? this.noAnswer(type) : error;
  }

  private noAnswer(type: string): LookupError {
    const { taskQueue } = this.options;
    return new NotAnsweredError(
      `No worker has answered: does one run on the task queue ${taskQueue}? Ask again.`,
      type,
    );
  }
}
