/**
 * Which version of the code a workflow runs on, if a worker's deployment has versions: PINNED stays with the version that started it, and
 * AUTO_UPGRADE goes on with the current one. It is declared here, because a default of the worker would pin an account for its whole life.
 */
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import type { WORKFLOW } from '../contract';
import { createSpeiAccount } from './account/create';
import { speiAccountQuantity } from './account/quantity';
import { speiAccount } from './account/workflow';
import { afterSale } from './after-sale/workflow';
import { eventDelivery } from './events/delivery';
import { bankList, installments, walletToken } from './lookup/workflow';
import { payment } from './payment/workflow';
import { stuckSweep } from './reconciliation/stuck-sweep';
import { reconciliation } from './reconciliation/workflow';
import { appAttention, strayNotification } from './shared/until-seen';

type Behavior = 'PINNED' | 'AUTO_UPGRADE';

/** Workflows that end within days are pinned; those that may be open for months, or wait for a person, follow the current code. */
const VERSIONING: Readonly<
  Record<keyof typeof WORKFLOW, readonly [workflow: (...input: never[]) => Promise<unknown>, behavior: Behavior]>
> = {
  payment: [payment, 'PINNED'],
  afterSale: [afterSale, 'AUTO_UPGRADE'],
  appAttention: [appAttention, 'AUTO_UPGRADE'],
  strayNotification: [strayNotification, 'AUTO_UPGRADE'],
  createSpeiAccount: [createSpeiAccount, 'AUTO_UPGRADE'],
  speiAccount: [speiAccount, 'AUTO_UPGRADE'],
  speiAccountQuantity: [speiAccountQuantity, 'AUTO_UPGRADE'],
  bankList: [bankList, 'PINNED'],
  installments: [installments, 'PINNED'],
  walletToken: [walletToken, 'PINNED'],
  eventDelivery: [eventDelivery, 'AUTO_UPGRADE'],
  reconciliation: [reconciliation, 'AUTO_UPGRADE'],
  stuckSweep: [stuckSweep, 'AUTO_UPGRADE'],
};

// A server refuses a behavior from a worker without versions: the workflow's task would time out again and again.
for (const [workflow, versioningBehavior] of Object.values(VERSIONING))
  setWorkflowOptions(
    () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior } : {}),
    workflow,
  );
