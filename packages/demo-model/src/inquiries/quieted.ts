import { offer } from '../offers.ts'
import { type Finding, gaps, type Inquiry, notDone, type Reads, read } from './inquiry.ts'

/** A line of list_alerts. */
type AlertFacts = { id: string; check: string; sentence: string }

const alertsIn = (text: string): AlertFacts[] =>
  text.split('\n').flatMap((line) => {
    const [, id, check, sentence] = /^(\S+) \w+, \w+ since [^,]+, ([^:\s]+): (.*)$/.exec(line) ?? []
    return id === undefined || check === undefined || sentence === undefined ? [] : [{ id, check, sentence }]
  })

const filler = /^(?:the|that|this|a|an|of|on|for|about|from|alerts?|alarms?|warnings?|it|please|with|is|one)$/

/** Returns the words of a text that can name an alert. */
const wordsIn = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_.-]+/gu) ?? []).filter((word) => !filler.test(word))

/** The alerts that share the most words with a text; all of them for a text without words. `isSure`: one alert has all the words. */
type Meant = { found: readonly AlertFacts[]; isSure: boolean }

function meantBy(about: string, all: readonly AlertFacts[]): Meant {
  const wanted = wordsIn(about)
  if (wanted.length === 0) return { found: all, isSure: all.length === 1 }
  const byShared = all.map(({ id, check, sentence }) => {
    const own = new Set([id.toLowerCase(), ...check.toLowerCase().split('-'), ...wordsIn(`${check} ${sentence}`)])
    return wanted.filter((word) => own.has(word)).length
  })
  const best = Math.max(...byShared)
  const found = best === 0 ? [] : all.filter((_, at) => byShared[at] === best)
  return { found, isSure: found.length === 1 && best === wanted.length }
}

/** Returns a sentence without the cause that follows its colon. */
const brief = (sentence: string): string => `${sentence.split(': ')[0]?.replace(/\.$/, '')}.`

/** The most alerts that a question names. */
const most = 4

/**
 * Acknowledges or silences the one alert that a person means.
 * @param about the person's words for it; empty: the only one that there is @param hours of a silence; undefined: as long as the tool does it by itself
 */
export function quieted(how: 'acknowledge' | 'silence', about: string, hours?: number): Inquiry {
  const list = read('list_alerts')
  return {
    find(seen): Reads | Finding {
      if (seen.of(list) === undefined) return { reads: [list] }
      const text = seen.text(list)
      if (text === undefined) return { say: `The alerts I could not read. ${gaps(seen, [list])}` }
      const all = alertsIn(text)
      if (all.length === 0) return { say: `No alert is firing, sir, so there is nothing to ${how}.` }
      const { found, isSure } = meantBy(about, all)
      const [alert] = found
      if (alert !== undefined && isSure)
        return {
          say: `That is this alert: ${alert.sentence}`,
          act: read(`${how}_alert`, { alert: alert.id, ...(hours !== undefined && { hours }) }),
        }
      const shown = (found.length === 0 ? all : found).slice(0, most)
      const why = found.length > 1 ? 'Several alerts fit' : 'No alert fits these words'
      const time = hours === undefined ? '' : ` for ${hours} hours`
      const lines = shown.map(({ id, sentence }) => `- ${brief(sentence)} Say ${offer(`${how} alert ${id}${time}`)}`)
      const rest = (found.length === 0 ? all : found).length - shown.length
      const more = rest === 0 ? '' : `\n\nThere are ${rest} more: ${offer('which alerts are firing?')}`
      return { say: `${why}, sir. Which one?\n\n${lines.join('\n')}${more}` }
    },
    check: (_seen, act) => ({
      say:
        notDone(act, 'the alert') ??
        (how === 'acknowledge'
          ? 'It is acknowledged, sir: nobody is told of it again, unless it gets worse.'
          : `It is silenced, sir. ${act.text}`),
    }),
  }
}
