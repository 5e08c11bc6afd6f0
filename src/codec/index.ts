/**
 * codec/: payloads are encrypted before they leave this process for Temporal, and the codec server shows people what of
 * them they may see. It takes the settings and nothing of the other rooms.
 */
export { dataConverter, type EncryptionSettings } from './data-converter';
export { EncryptionCodec, type EncryptionKey, PayloadDecryptionError } from './encryption-codec';
export { ROLES, type Role } from './mask';
export { type RunningCodecServer, runCodecServer, startCodecServer } from './run';
export { type CodecServerOptions, codecServer } from './server';
