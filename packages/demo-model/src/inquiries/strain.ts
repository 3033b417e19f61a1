import { type GuestFacts, guestsIn, type NodeDetail, nodeDetailIn, printed, temperatureIn } from '../facts.ts'
import { offer } from '../offers.ts'
import type { PlannedCall } from '../questions.ts'
import type { Outcome, Seen } from '../seen.ts'
import { plain, quotedInline } from '../words.ts'
import { type Finding, gaps, type Inquiry, notDone, type Reads, read, ssh, unread } from './inquiry.ts'

/** Share of its own cores above which a guest is reported, percent. */
const busyPercent = 80
const kernelLog = 'journalctl -k -n 30 --no-pager'
const processes = 'ps -eo pcpu,args --sort=-pcpu | head -n 4'

/** Finds why a node is hot or busy. Reads its guests by used cores, its processes, and kernel messages about the busiest guest. */
export const strainOn = (node: string): Inquiry => new StrainInquiry(node)

class StrainInquiry implements Inquiry {
  readonly #node: string
  readonly #heat: PlannedCall
  readonly #status: PlannedCall
  readonly #guests: readonly PlannedCall[]
  readonly #first: readonly PlannedCall[]

  constructor(node: string) {
    this.#node = node
    this.#heat = read('get_node_temperature', { node })
    this.#status = read('get_node_status', { node })
    this.#guests = [read('get_vms', { node }), read('get_containers', { node })]
    this.#first = [this.#heat, this.#status, ...this.#guests]
  }

  find(seen: Seen): Reads | Finding {
    const missing = unread(seen, this.#first)
    if (missing.length > 0) return { reads: missing }
    const [worst, next] = this.#guestsOf(seen)
    const measured = temperatureIn(seen.text(this.#heat) ?? '')
    const opening = openingOf(this.#node, measured?.celsius, nodeDetailIn(seen.text(this.#status) ?? ''))
    const unseen = gaps(seen, this.#first)
    if (opening === undefined) return { say: `I could read neither the heat nor the load of ${this.#node}. ${unseen}` }
    if (worst === undefined)
      return { say: `${opening} No guest of it could be read, so I cannot name the cause. ${unseen}` }
    if ((worst.cpu ?? 0) >= busyPercent) return this.#cause(seen, opening, { worst, next })
    const verdict = measured?.isHot ? 'That is hot, but no guest explains it' : 'Nothing there is unusual'
    return {
      say: joined(
        `${opening} ${verdict}: the busiest guest is ${busyWords(worst)}.`,
        measured?.isHot ? 'I would look at its fans, its dust and the room it stands in.' : '',
        unseen,
      ),
    }
  }

  check(seen: Seen, act: Outcome): Reads | Finding {
    const before = this.#guestsOf(seen).find(({ vmid }) => vmid === act.toolInput.vmid)
    const who = `${act.toolInput.vmid}${before === undefined ? '' : ` ${plain(before.name)}`}`
    const refused = notDone(act, who)
    const missing = unread(seen, refused === undefined ? this.#first : [this.#heat], act.round + 1)
    if (missing.length > 0) return { reads: missing }
    if (refused === undefined) return { say: this.#checked(seen, act, who) }
    const heatNow = this.#celsius(seen, act.round + 1)
    const still =
      heatNow === undefined
        ? ''
        : `${this.#node} is at ${degrees(heatNow)} and I expect no change while ${who} works like this.`
    return {
      say: joined(refused, still, `Say ${offer(`restart ${before?.name ?? act.toolInput.vmid}`)} when it suits you.`),
    }
  }

  /** Looks for the reason in a guest that uses most of its cores. */
  #cause(seen: Seen, opening: string, { worst, next }: Busiest): Reads | Finding {
    const node = this.#node
    // The demo makes this call before it reads a log, because the gate refuses ids that only foreign text has named.
    const config = ssh(node, `${worst.type === 'vm' ? 'qm' : 'pct'} config ${worst.vmid}`)
    if (seen.of(config) === undefined) return { reads: [config] }
    const [running, kernel] = [ssh(node, processes), ssh(node, kernelLog)]
    const unlooked = unread(seen, [running, kernel])
    if (unlooked.length > 0) return { reads: unlooked }
    const fault = faultOf(printed(seen.text(kernel)), worst)
    const device = fault?.device === undefined ? undefined : ssh(node, `lspci -s ${fault.device}`)
    if (device !== undefined && seen.of(device) === undefined) return { reads: [device] }

    const others = next === undefined ? '' : `The next guest is ${busyWords(next)}, so it is this one alone.`
    const what = device === undefined ? undefined : printed(seen.text(device))?.trim()
    return {
      say: joined(
        `${opening} The cause is ${busyWords(worst)}${ofAll(worst, this.#guestsOf(seen))}. ${processLine(printed(seen.text(running)), worst)}`,
        fault === undefined ? '' : faultWords({ name: worst.name, node }, fault, what),
        others,
        gaps(seen, [...this.#first, config, running, kernel]),
        `${fault === undefined ? 'A restart would show whether it is only stuck' : 'A restart hands the device over anew'}; until it is up again, ${plain(worst.name)} does nothing at all. That needs your word.`,
      ),
      act: read(worst.type === 'vm' ? 'restart_vm' : 'restart_container', { vmid: worst.vmid, node }),
    }
  }

  #checked(seen: Seen, act: Outcome, who: string): string {
    const round = act.round + 1
    const [was, is] = [0, round].map((from) => nodeDetailIn(seen.text(this.#status, from) ?? ''))
    const [guestWas, guestIs] = [0, round].map((from) =>
      this.#guestsOf(seen, from).find(({ vmid }) => vmid === act.toolInput.vmid),
    )
    const [heatBefore, heatNow] = [this.#celsius(seen), this.#celsius(seen, round)]
    const facts = [
      change('CPU', [guestWas?.cpu, guestIs?.cpu], ' %'),
      change(`the CPU of ${this.#node}`, [was?.cpu, is?.cpu], ' %'),
      change('its load', [was?.load, is?.load], ''),
      change('its temperature', [heatBefore, heatNow], ' °C'),
    ].filter((fact) => fact !== undefined)
    const helped = (guestIs?.cpu ?? 100) < busyPercent
    const state = guestIs === undefined ? 'I cannot see it now' : `it is seen ${guestIs.status}`
    return joined(
      helped
        ? `That was it, sir: ${who} is restarted and ${state}.`
        : `${who} is restarted and ${state}, but it has not helped yet.`,
      facts.length === 0 ? 'I could not measure what changed.' : `Measured just now: ${facts.join('; ')}.`,
      helped && heatNow !== undefined && heatBefore !== undefined
        ? heatNow < heatBefore
          ? 'Load and heat are means over a while, so both go on falling. Ask me again in a minute.'
          : 'The heat follows in a minute or so; ask me again then.'
        : '',
      helped ? '' : `I would look inside it next: its own log says more than ${this.#node} can see.`,
    )
  }

  #celsius(seen: Seen, round?: number): number | undefined {
    return temperatureIn(seen.text(this.#heat, round) ?? '')?.celsius
  }

  /** Returns the guests of the node by the number of cores that they use, most first. */
  #guestsOf(seen: Seen, round?: number): GuestFacts[] {
    return this.#guests
      .flatMap((call) => guestsIn(seen.text(call, round) ?? ''))
      .toSorted((a, b) => coresOf(b) - coresOf(a))
  }
}

type Busiest = { worst: GuestFacts; next: GuestFacts | undefined }

const joined = (...parts: string[]) => parts.filter((part) => part !== '').join('\n\n')
const coresOf = ({ cpu = 0, cores = 0 }: GuestFacts) => (cpu / 100) * cores
const oneDigit = (value: number) => String(Math.round(value * 10) / 10)
const degrees = (celsius: number) => `${Math.round(celsius)} °C`

function openingOf(node: string, celsius: number | undefined, { cpu, cores, load }: NodeDetail) {
  const parts = [
    celsius === undefined ? undefined : `at ${degrees(celsius)}`,
    cpu === undefined ? undefined : `its CPU at ${cpu} %`,
    load === undefined ? undefined : `its load ${oneDigit(load)}${cores === undefined ? '' : ` on ${cores} cores`}`,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : `**${plain(node)} is ${parts.join(', ').replace(/^its /, 'busy, its ')}.**`
}

const busyWords = ({ vmid, name, cpu, cores }: GuestFacts) =>
  `${vmid} ${plain(name)} at ${cpu ?? '?'} %${cores === undefined ? '' : ` of its ${cores} ${cores === 1 ? 'core' : 'cores'}`}`

function ofAll(worst: GuestFacts, guests: readonly GuestFacts[]): string {
  const sum = guests.reduce((cores, guest) => cores + coresOf(guest), 0)
  return sum === 0 ? '' : `, ${oneDigit(coresOf(worst))} of the ${oneDigit(sum)} cores that all its guests use`
}

/** Reports the top process if it belongs to the guest; otherwise empty. */
function processLine(output: string | undefined, { vmid, name }: GuestFacts): string {
  const [, share] = new RegExp(`^\\s*([\\d.]+)\\s+.*(?:-id ${vmid}\\b|lxc ${vmid}\\b)`, 'm').exec(output ?? '') ?? []
  return share === undefined ? '' : `\`ps\` agrees: the process of ${plain(name)} takes ${Math.round(Number(share))} %.`
}

type Fault = { at: string; words: string; device: string | undefined }

/** Returns the last kernel message about this guest, and the line before it, which has the reason. */
function faultOf(log: string | undefined, { vmid, node }: GuestFacts): Fault | undefined {
  const rows = (log ?? '').split('\n').map((line) => {
    const [, at, words] =
      new RegExp(`^\\w{3} +\\d+ (\\d\\d:\\d\\d):\\d\\d ${node} kernel(?:\\[\\d+\\])?: (.*)$`).exec(line) ?? []
    return { at: at ?? '', words: words ?? '' }
  })
  const last = rows.findLastIndex(({ words }) => new RegExp(`\\b(?:VM|CT) ${vmid}\\b`).test(words))
  const said = rows[last]
  if (said === undefined || !/lost|fail|error|hang|reset failed/i.test(said.words)) return undefined
  const device = /\b(?:\d{4}:)?([0-9a-f]{2}:[0-9a-f]{2}\.\d)\b/.exec(said.words)?.[1]
  const why = device === undefined ? undefined : rows.slice(0, last).findLast(({ words }) => words.includes(device))
  return {
    at: why?.at ?? said.at,
    words: why?.words ?? said.words,
    device,
  }
}

function faultWords(
  { name, node }: Pick<GuestFacts, 'name' | 'node'>,
  { at, words, device }: Fault,
  what: string | undefined,
): string {
  const said = `The kernel of ${plain(node)} says since when, at ${at} by its clock: ${quotedInline(words)}.`
  if (device === undefined) return said
  const named = what === undefined || what === '' ? `the device ${device}` : quotedInline(what)
  const isGpu = /VGA|3D controller|Display/i.test(what ?? '')
  return `${said} ${plain(name)} lost ${named}${isGpu ? ', its graphics card, and most likely decodes on the CPU since' : ' and works without it since'}.`
}

type Measured = number | undefined
function change(what: string, [was, is]: [was: Measured, is: Measured], unit: string): string | undefined {
  if (is === undefined) return undefined
  const now = `${oneDigit(is)}${unit}`
  return was === undefined || oneDigit(was) === oneDigit(is)
    ? `${what} ${now}`
    : `${what} ${oneDigit(was)}${unit} → ${now}`
}
