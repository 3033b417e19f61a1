/** Hosts in the local network, where servers rarely use TLS. */
const near = [
  /^[\w-]+$/,
  /\.(lan|local|home|internal|home\.arpa)$/i,
  /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/,
  /^\[/,
]

/** Returns the probable URL of an address that lacks `http://`; undefined if the text has a scheme or is not an address. */
export function meantAddress(text: string): string | undefined {
  if (/^\w+:\/|[\s@?#]/.test(text) || !/[.:/]|^localhost$/.test(text)) return undefined
  const host = /^(?:\[[^\]]*\]|[^:/]*)/.exec(text)?.[0] ?? ''
  const whole = `${near.some((one) => one.test(host)) ? 'http' : 'https'}://${text}`
  return URL.canParse(whole) ? whole : undefined
}
