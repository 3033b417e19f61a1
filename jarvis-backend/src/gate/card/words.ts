export const percent = (ratio: number) => `${Math.round(ratio * 100)} %`

/** `8 d 4 h`, `31 h`, `12 min`, `40 s`. */
export function spanOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min`
  const hours = Math.floor(whole / 3_600)
  if (hours < 48) return `${hours} h`
  return hours % 24 === 0 ? `${hours / 24} d` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}

/** `112, 120 and 3 more` */
export function idsOf(guests: readonly { vmid: number }[]): string {
  const ids = guests.map(({ vmid }) => vmid)
  return `${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ` and ${ids.length - 8} more` : ''}`
}
