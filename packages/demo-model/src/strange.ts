/** Verbs of a change that a person may ask for in a sentence that no rule reads. */
export const changeVerbs: readonly string[] =
  `acknowledge add adjust allocate apply assign attach automate block build buy cancel change clean clear close compose configure
  connect convert copy create decrease deploy detach delete destroy disable disconnect download draw duplicate edit empty enable
  encrypt erase expand export extend format generate grant grow harden import improve increase install invite join link lock
  lower make migrate mount move mute notify open optimise optimize partition pause play prune publish pull purge push raise rebuild
  reconfigure reduce reinstall remind remove rename replace replicate reset resize restore resume revert revoke roll rotate save schedule
  send set share shrink silence snapshot suspend swap sync tag translate tune unlock unmount update upgrade upload wipe write`.split(
    /\s+/,
  )
const powers = 'start stop restart reboot wake shut turn boot kill back'.split(' ')

const order = new RegExp(`^(?:(?:auto|re)-?)?(${changeVerbs.join('|')})(?![\\w-])`, 'i')
/** Matches a wish in the form of a question: `how do I schedule …`. */
const wish = new RegExp(
  `^(?:how (?:do|can|could|should|would) (?:i|we|you|one)|can i|may i|is it possible to|help me(?: to)?|i wish to|i'd love to|try to) (${[...changeVerbs, ...powers].join('|')})(?![\\w-])`,
  'i',
)

/** Returns the verb of a clause that asks for a change; undefined: it asks for none. */
export const strangeVerb = (clause: string): string | undefined =>
  (order.exec(clause)?.[1] ?? wish.exec(clause)?.[1])?.toLowerCase()

const units =
  'hour|night|day|evening|morning|week|weekend|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday'
const clock = '(?:,? at (?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?(?: ?(?<half>am|pm))?(?: o.?clock)?)'
const plainClock = clock.replace(/\?<\w+>/g, '')
/**
 * Matches `nightly` and its kind as a time: at the end of a sentence, after `schedule`, or with a clock at the beginning. Elsewhere the word only
 * describes: `start the nightly backup of 104`.
 */
const often = `(?:(?<=\\b(?:schedule|plan)\\s+(?:(?:an?|the|my)\\s+)?)|(?<=^\\W*)(?=\\w+${plainClock})|(?=\\w+${plainClock}?[\\s.!?]*$))(?<often>nightly|daily|hourly|weekly|monthly)`
const when = new RegExp(
  `[\\s,]*\\b(?:(?:every|each) (?:(?<count>\\d{1,4}) (?<span>minutes?|mins?|hours?)|(?<unit>${units}))|${often}|(?<day>tomorrow|tonight)(?: (?<part>morning|afternoon|evening|night))?|in (?<delay>\\d{1,4}) (?<of>minutes?|mins?|hours?))(?![a-z])${clock}?`,
  'i',
)

/** A time in an order. `when`: as the tool `schedule` takes it; undefined: it cannot be written so. */
export type Timed = { rest: string; when: string | undefined; words: string }

/** Finds the time at which an order is to be carried out; undefined: now. @param now Unix ms */
export function timed(text: string, now: number): Timed | undefined {
  const found = when.exec(text)
  if (found === null) return undefined
  const rest = text
    .replace(found[0], '')
    .replace(/\s{2,}/g, ' ')
    .trim()
  return { rest, when: spokenTime(found.groups ?? {}, now), words: found[0].replace(/^[\s,]+/, '') }
}

const weekdays = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ')

/**
 * Returns the hour of the day, 0 to 23; undefined: it is none.
 * @param half `am` or `pm`
 * @param part the part of the day, which decides if `8` is in the morning or in the evening
 */
function hourOfDay(hour: string, half: string | undefined, part: string): number | undefined {
  const said = Number(hour)
  if (half !== undefined) return said < 1 || said > 12 ? undefined : (said % 12) + (/^pm/i.test(half) ? 12 : 0)
  if (said > 23) return undefined
  if (part === 'night' && said === 12) return 0
  const isLate = part === 'afternoon' ? said >= 1 && said < 12 : part !== 'morning' && said >= 5 && said < 12
  return part !== '' && isLate ? said + 12 : said
}

const usualHours: Readonly<Record<string, number>> = { morning: 7, afternoon: 15, evening: 20 }

function spokenTime(
  { count, span, unit, often, day, part, delay, of, hour, minute = '0', half }: Partial<Record<string, string>>,
  now: number,
): string | undefined {
  const said = (part ?? unit ?? often ?? day ?? '').toLowerCase()
  const isNight = said === 'night' || said === 'nightly' || said === 'tonight'
  const partOfDay = isNight ? 'night' : said in usualHours ? said : ''
  const usual = day?.toLowerCase() === 'tonight' ? 20 : (usualHours[partOfDay] ?? 3)
  const at = hour === undefined ? usual : hourOfDay(hour, half, partOfDay)
  if (at === undefined || Number(minute) > 59) return undefined
  const minutes = (text: string, many: string) => Number(text) * (/^h/i.test(many) ? 60 : 1)
  if (count !== undefined) return `every ${minutes(count, span ?? '')} min`
  if (delay !== undefined) return new Date(now + minutes(delay, of ?? '') * 60_000).toISOString()
  const often_ = (unit ?? often)?.toLowerCase()
  if (often_ === 'hour' || often_ === 'hourly') return `${minute} * * * *`
  if (often_ !== undefined) {
    const weekday = weekdays.indexOf(often_)
    if (weekday >= 0) return `${Number(minute)} ${at} * * ${weekday}`
    if (/^week/.test(often_)) return `${Number(minute)} ${at} * * ${often_ === 'weekend' ? 6 : 0}`
    return `${Number(minute)} ${at} ${/^month/.test(often_) ? '1' : '*'} * *`
  }
  const date = new Date(now)
  date.setHours(at, Number(minute), 0, 0)
  // `tonight at 2` is after midnight.
  if (day?.toLowerCase() === 'tomorrow' || (partOfDay === 'night' && at < 5)) date.setDate(date.getDate() + 1)
  return date.getTime() > now ? date.toISOString() : undefined
}
