/** Formats a SHA-256 fingerprint as `AA:BB:…`, from one with or without colons; undefined if the text is not a fingerprint. */
export function fingerprintOf(text: string): string | undefined {
  const hex = text.replaceAll(':', '').toUpperCase()
  return /^[0-9A-F]{64}$/.test(hex) ? hex.replace(/..(?!$)/g, '$&:') : undefined
}
