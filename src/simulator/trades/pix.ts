/**
 * A PIX "BR Code" of the simulated gateway: EMV fields of tag, length and value, with a checksum of all of them. The amount
 * is a decimal text with two decimals; `txid` has 1 to 25 letters and digits.
 */
export function pixCode(key: string, amount: string, txid: string): string {
  const fields = [
    emvField('00', '01'),
    emvField('26', emvField('00', 'br.gov.bcb.pix') + emvField('01', key)),
    emvField('52', '0000'),
    emvField('53', '986'),
    emvField('54', amount),
    emvField('58', 'BR'),
    emvField('59', 'SIMULATED GATEWAY'),
    emvField('60', 'SAO PAULO'),
    emvField('62', emvField('05', txid)),
  ].join('');
  // The checksum includes its own tag and length.
  const checked = `${fields}6304`;
  return checked + crc16(checked);
}

/** CRC-16/CCITT-FALSE (polynomial 1021, start FFFF) as four upper-case hex digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function emvField(tag: string, value: string): string {
  return tag + String(value.length).padStart(2, '0') + value;
}
