/** Hosts that are found without the world's DNS, where servers seldom speak TLS. */
const near = [
  /^[\w-]+$/,
  /\.(lan|local|home|internal|home\.arpa)$/i,
  /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\.[\d.]+$/,
  /^\[/,
]

/** The probable URL of an address without `http://`; undefined where it has a scheme or is no address. */
export function meantAddress(text: string): string | undefined {
  if (/^\w+:\/|[\s@?#]/.test(text) || !/[.:/]|^localhost$/.test(text)) return undefined
  const host = /^(?:\[[^\]]*\]|[^:/]*)/.exec(text)?.[0] ?? ''
  const whole = `${near.some((one) => one.test(host)) ? 'http' : 'https'}://${text}`
  return URL.canParse(whole) ? whole : undefined
}
