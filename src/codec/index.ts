/**
 * codec/: encrypts payloads before they leave this process for Temporal; the codec server shows people the part of them that
 * they may see. It may import contract/ and process/ only.
 */

export { PayloadDecryptionError } from '../contract/foreign-input';
export type { EncryptionKey } from './cipher';
export { dataConverter } from './data-converter';
export { type CodecRules, EncryptionCodec } from './encryption-codec';
export { type RunningCodecServer, runCodecServer, startCodecServer } from './run';
