import { always, type Field, never } from './rule';
import { noPlus, settingIs, webAddress } from './shared';

const identifyRequired = settingIs('accountIdentify', 'required');

// biome-ignore format: tables, read by columns
/** The fields with which a virtual account is opened. */
export const openAccountFields: readonly Field[] = [
  { name: 'notify_url',               required: always, max: 255, rules: [webAddress] },
  { name: 'customer.buyer_id',        required: always, max: 128 },
  { name: 'customer.email',           required: always, rules: [noPlus] },
  { name: 'customer.name',            required: never },
  { name: 'customer.phone',           required: never },
  { name: 'customer.identify.number', required: identifyRequired },
  { name: 'customer.identify.type',   required: identifyRequired },
];

// biome-ignore format: tables, read by columns
/** The fields that name a virtual account. */
export const accountFields: readonly Field[] = [
  { name: 'account_id', required: always },
];
