/** A start under a wrong workflow id: two workflows of one account would count its deposits twice. */
import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import {
  type CreateSpeiAccountInput,
  createSpeiAccountWorkflowId,
  namedByWorkflowId,
  type SpeiAccountInput,
  speiAccountWorkflowId,
} from '../../contract';
import { isFilled, refuseUpdates, startIssues } from '../shared/broken-start';
import { invalidRequest, type RequestIssue } from '../shared/request-rules';
import { cancelAccountUpdate, recheckAccountUpdate, resolveAccountUpdate, takeAccountUpdate } from './messages';

/** The rules that a start breaks; none for the account's own workflow. */
export function accountIssues({ app_id, account_id }: Partial<SpeiAccountInput> = {}): RequestIssue[] {
  const own = speiAccountWorkflowId(app_id ?? '', account_id ?? '');
  return startIssues({ app_id, account_id }, own, 'there the account’s deposits are counted');
}

/**
 * Tells anyone who asks this run why. Under the id of an account it then goes on as the workflow of that account, which reads what
 * runs before it knew and what was notified meanwhile; under any other id it fails.
 */
export async function refuseAccount(issues: RequestIssue[]): Promise<never> {
  const refusal = () => refused('No account is followed by this start.', issues);
  await refuseUpdates([cancelAccountUpdate, recheckAccountUpdate, resolveAccountUpdate, takeAccountUpdate], refusal);
  const { kind, app_id, part: account_id } = namedByWorkflowId(workflowInfo().workflowId) ?? {};
  if (kind !== 'spei-account' || !app_id || !account_id) return refusal();
  return continueAsNew<(input: SpeiAccountInput) => Promise<void>>({ app_id, account_id });
}

/** Throws `InvalidRequest` for a creation without a key in its workflow id: nothing would keep the account from being made twice. */
export function assertOwnCreation({ app_id, request }: Partial<CreateSpeiAccountInput> = {}): void {
  const { workflowId } = workflowInfo();
  const of_app = createSpeiAccountWorkflowId(app_id ?? '', '');
  const issues = [
    ...(isFilled(app_id) ? [] : [{ field: 'app_id', rule: 'required' }]),
    ...(typeof request === 'object' && request !== null ? [] : [{ field: 'request', rule: 'required' }]),
    ...(workflowId.startsWith(of_app) && workflowId !== of_app
      ? []
      : [
          {
            field: 'workflow id',
            rule: `must be ${of_app}KEY: the key is what keeps an account from being made twice`,
          },
        ]),
  ];
  if (issues.length > 0) refused('No account was created, and nothing was sent.', issues);
}

function refused(what: string, issues: RequestIssue[]): never {
  throw invalidRequest(issues, what, { started: false });
}
