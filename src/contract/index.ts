/**
 * contract/: the names and shapes that cross rooms and languages, and the pure decisions about them that more than one
 * room needs. It imports gateway/pure/ and `@temporalio/common`, nexus.ts imports `nexus-rpc`, and gateway.ts re-exports types of
 * gateway/; nothing else, because workflows bundle it.
 */
export * from './account';
export * from './account-activities';
export * from './account-attention';
export * from './activities';
export * from './after-sale';
export * from './attention';
export * from './earlier-payment';
export * from './ended-from-outside';
export * from './events';
export * from './failures';
export * from './foreign-input';
export * from './gates';
export * from './gateway';
export * from './ids';
export * from './known-order';
export * from './lookups';
export * from './metrics';
export * from './names';
export * from './nexus';
export * from './notification';
export * from './operator-actions';
export * from './payload-size';
export * from './payment';
export * from './poll-schedule';
export * from './reconciliation';
export * from './same-order';
export * from './scheduled-jobs';
export * from './search-attributes';
export * from './summaries';
export * from './told';
export * from './traces';
export * from './trade-status-table';
export * from './transitions';
export * from './why';
export * from './wording';
