/** Whether the name is an IANA time zone that this machine knows; an offset such as `+02:00`, which no clock change moves, is none. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** The zone of this machine's clock, such as `Europe/Berlin`. Where `TZ` names none, the clock counts in UTC. */
export function ownZone(): string {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone !== undefined && isZone(zone) ? zone : 'UTC'
}
