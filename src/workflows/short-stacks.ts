/**
 * The SDK takes and keeps a stack of each promise of a workflow, for Temporal UI's call stack: it was a third of the CPU of the
 * workflows' thread, and half of what an open payment keeps in memory. The first lines are enough to find what threw an error.
 * Only the bundle of our own worker loads this file: a merchant's workflows keep their stacks.
 */
Error.stackTraceLimit = 4;
