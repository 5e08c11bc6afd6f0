/** What Temporal may fail to answer. Each returns what mends it. */
import type { Client } from '@temporalio/client';

/** The list of workflows is down after so many more answers. */
export function listFails({ workflow }: Pick<Client, 'workflow'>, after = 0): () => void {
  const { list } = workflow;
  let left = after;
  Object.assign(workflow, {
    list: (...args: unknown[]) => {
      if (left <= 0) throw new Error('the list of workflows is down');
      left -= 1;
      return Reflect.apply(list, workflow, args);
    },
  });
  return () => void Object.assign(workflow, { list });
}

/** Nobody answers for a run that is named, as where its code does not replay any more: its history has what it was given. */
export function runsAreSilent({ workflow }: Pick<Client, 'workflow'>): () => void {
  const handleOf = workflow.getHandle.bind(workflow);
  const query = () => Promise.reject(new Error('deadline exceeded'));
  const getHandle: typeof handleOf = (...of) => Object.assign(handleOf(...of), of[1] ? { query } : {});
  Object.assign(workflow, { getHandle });
  return () => void Object.assign(workflow, { getHandle: handleOf });
}
