import { banksOf } from './banks';
import { allWireNames, methodNamed } from './methods';
import { always, type Field, never, only, type Rule } from './rule';
import { amountRange, cents, globalApp, oneOf, threeCharacters } from './shared';

/** The largest amount of an installment query. */
const LARGEST_INSTALLMENTS = '99999999.99';

const methodWithBanks: Rule = {
  holds: hasBanks,
  says: 'must be a method that has banks',
  schema: { enum: allWireNames().filter(hasBanks) },
  subCode: 'no-method-supported',
};
const typeOfTransfer: Rule = { ...oneOf('1'), when: only('BankTransfer') };
const typeOfCash: Rule = { ...oneOf('2'), when: only('Cash') };

function hasBanks(name: string): boolean {
  const method = methodNamed(name);
  return method !== undefined && banksOf(method).length > 0;
}

// biome-ignore format: tables, read by columns
/** The fields of a bank list. */
export const bankListFields: readonly Field[] = [
  { name: 'method', required: always,    max: 32, rules: [methodWithBanks] },
  { name: 'type',   required: never,     max: 1,  rules: [oneOf('1', '2'), typeOfTransfer, typeOfCash] },
  { name: 'region', required: globalApp },
];

// biome-ignore format: tables, read by columns
/** The fields of an installment query. */
export const installmentFields: readonly Field[] = [
  { name: 'currency', required: always, rules: [threeCharacters] },
  { name: 'amount',   required: always, type: 'decimal', rules: [amountRange(LARGEST_INSTALLMENTS), cents] },
];

// biome-ignore format: tables, read by columns
/** The fields of a wallet's client token. */
export const walletTokenFields: readonly Field[] = [
  { name: 'region', required: globalApp },
];
