/**
 * True if a name is an IANA time zone that this machine knows. An offset such as `+02:00` is refused, because it does not follow daylight-saving
 * changes.
 */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z]/.test(zone)) return false
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/** Returns the time zone of this machine’s clock, such as `Europe/Berlin`; UTC if `TZ` names no valid time zone. */
export function ownZone(): string {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  return zone !== undefined && isZone(zone) ? zone : 'UTC'
}
