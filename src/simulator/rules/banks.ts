import type { MethodName } from './methods';

/** A bank (or a shop's counter) in which a method can be paid. */
export interface Bank {
  method: MethodName;
  region: string;
  bank_id: string;
  bank_name: string;
  language_code: string;
  channel: string;
  currency: string;
  min_amount: string;
}

const bank = (
  method: MethodName,
  region: string,
  language_code: string,
  currency: string,
  channel: string,
  min_amount: string,
  bank_id: string,
  bank_name: string,
): Bank => ({ method, region, bank_id, bank_name, language_code, channel, currency, min_amount });

// biome-ignore format: a table, read by columns
/** Every bank that there is. The names are made up, but for the ids that the interface gives. */
const banks: readonly Bank[] = [
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

/** The banks of a method, in a region where one is named. */
export function banksOf(method: MethodName, region?: string | undefined): Bank[] {
  return banks.filter((one) => one.method === method && (region === undefined || one.region === region));
}

/** The first bank of an id. */
export function bankNamed(bankId: string): Bank | undefined {
  return banks.find(({ bank_id }) => bank_id === bankId);
}
