/** Tests if a name is an IANA time zone that this machine knows. An offset such as `+02:00` is refused, because no clock change moves it. */
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
