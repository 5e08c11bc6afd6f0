import { type MethodName, wireNames } from './methods';

/** A bank (or a shop's counter) in which a method can be paid. */
type ListedBank = ReturnType<typeof bank>;

const bank = (
  ...[method, region, language_code, currency, channel, min_amount, bank_id, bank_name]: [MethodName, ...BankTexts]
) => ({ method, region, bank_id, bank_name, language_code, channel, currency, min_amount });
type BankTexts = [string, string, string, string, string, string, string];

// biome-ignore format: a table, read by columns
/** All banks. The names are invented; some of the ids are the interface's. */
const banks: readonly ListedBank[] = [
  //    method,         region, language, currency, channel,    least,   id,              name
  bank('BankTransfer', 'ECU', 'es', 'USD', 'Transfer', '1.00',   'bpacifico',     'Banco Simulado del Mar'),
  bank('BankTransfer', 'ECU', 'es', 'USD', 'Transfer', '1.00',   'internacional', 'Banco Simulado del Mundo'),
  bank('BankTransfer', 'ECU', 'es', 'USD', 'Transfer', '1.00',   'pichincha',     'Banco Simulado del Monte'),
  bank('BankTransfer', 'PAN', 'es', 'USD', 'Transfer', '5.00',   'canal',         'Banco Simulado del Canal'),
  bank('BankTransfer', 'PER', 'es', 'PEN', 'Transfer', '3.00',   'andes',         'Banco Simulado de los Andes'),
  bank('BankTransfer', 'PER', 'es', 'PEN', 'Transfer', '3.00',   'costa',         'Banco Simulado de la Costa'),
  bank('Cash',         'MEX', 'es', 'MXN', 'Counter',  '10.00',  'esquina',       'Tienda de la Esquina'),
  bank('Cash',         'MEX', 'es', 'MXN', 'Counter',  '20.00',  'farmacia',      'Farmacia del Centro'),
  bank('Cash',         'PER', 'es', 'PEN', 'Counter',  '3.00',   'bodega',        'Bodega del Barrio'),
  bank('Cash',         'COL', 'es', 'COP', 'Counter',  '5000.00', 'giros',        'Giros Simulados'),
  bank('Khipu',        'CHL', 'es', 'CLP', 'Transfer', '200.00', '037',           'Banco Simulado de Chile'),
  bank('Khipu',        'CHL', 'es', 'CLP', 'Transfer', '200.00', '012',           'Banco Simulado del Sur'),
  bank('OpenFinance',  'BRA', 'pt', 'BRL', 'OpenFinance', '1.00', '001',          'Banco Simulado do Brasil'),
  bank('OpenFinance',  'BRA', 'pt', 'BRL', 'OpenFinance', '1.00', '341',          'Banco Simulado de São Paulo'),
];

/** The names on the wire of the methods that have banks. */
export const bankMethods = [...new Set(banks.map(({ method }) => method))].flatMap(wireNames);

/** The banks of a method, in a region if one is named. */
export function banksOf(method: MethodName, region?: string | undefined): ListedBank[] {
  return banks.filter((one) => one.method === method && (region === undefined || one.region === region));
}

/** The first bank with an id. */
export function bankNamed(bankId: string): ListedBank | undefined {
  return banks.find(({ bank_id }) => bank_id === bankId);
}
