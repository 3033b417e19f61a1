/** A SHA-256 fingerprint as `AA:BB:…`, from one with or without colons; undefined where it is none. */
export function fingerprintOf(text: string): string | undefined {
  const hex = text.replaceAll(':', '').toUpperCase()
  return /^[0-9A-F]{64}$/.test(hex) ? hex.replace(/..(?!$)/g, '$&:') : undefined
}
