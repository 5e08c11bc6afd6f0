// How the people who pay in a currency write it, whatever language they read.
const locales: Readonly<Record<string, string>> = {
  ARS: 'es-AR',
  BRL: 'pt-BR',
  CLP: 'es-CL',
  COP: 'es-CO',
  CRC: 'es-CR',
  MXN: 'es-MX',
  PEN: 'es-PE',
  USD: 'en-US',
};

/** An amount as people write it: `R$ 10,00`, `$1,500.00 MXN`. It is never a float, so no digit is lost. */
export function money(amount: string, currency: string): string {
  if (!isDecimal(amount) || !/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`;
  const format = new Intl.NumberFormat(locales[currency] ?? 'en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    // Where people write no cents, those that there are must be seen all the same.
    ...(amount.endsWith('.00') ? {} : { minimumFractionDigits: 2 }),
  });
  const written = format.format(amount);
  // The peso's sign is the dollar's too.
  return /(^|\P{L})\$/u.test(written) ? `${written} ${currency}` : written;
}

function isDecimal(amount: string): amount is `${number}` {
  return /^\d+\.\d\d$/.test(amount);
}
