import { RunbookInput as Input, type RunbookInput } from 'protocol'
import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml'
import { durationMs } from './duration.ts'
import { type Block, membersOf, readBlock, type Say, textOf } from './lines.ts'
import { usualMaxAgeMs } from './procedure.ts'

const keys = ['name', 'inputs', 'max_age', 'alerts'] as const
const inputKeys = ['type', 'about', 'default', 'optional'] as const
const types = Input.shape.type.options
/** Names that an input may not have, because they have a meaning inside a step. */
export const reserved = ['result', 'item']
const longestMs = 24 * 3_600_000

export type Front = { title: string; inputs: RunbookInput[]; alerts: string[]; maxAgeMs: number }

/** Parses the front matter: name, inputs, max_age, alerts. */
export function readFront(text: string, firstLine: number, say: Say): Front {
  const block = readBlock(text, firstLine, say)
  const front: Front = { title: '', inputs: [], alerts: [], maxAgeMs: usualMaxAgeMs }
  if (block.map === undefined) return front
  const { placeOf } = block
  const members = membersOf(block, { map: block.map, known: keys, of: 'the front matter' }, say)
  const name = members.get('name')
  front.title = textOf(name?.value)?.trim() ?? ''
  if (front.title === '' || front.title.length > 100)
    say(name === undefined ? firstLine : placeOf(name.key).line, 'name: a runbook needs a name of 1 to 100 characters.')
  const age = members.get('max_age')
  if (age !== undefined) {
    const ms = durationMs(textOf(age.value) ?? '')
    if (ms === undefined || ms < 60_000 || ms > longestMs)
      say(placeOf(age.key).line, 'max_age: write a time of 1 min to 24 h, such as 10 min.')
    else front.maxAgeMs = ms
  }
  const alerts = members.get('alerts')
  if (alerts !== undefined) {
    const ids = isSeq(alerts.value) ? alerts.value.items.map(textOf) : [textOf(alerts.value)]
    if (ids.some((id) => id === undefined || !/^[a-z][a-z0-9-]*$/.test(id)))
      say(placeOf(alerts.key).line, 'alerts: write a list of checks, such as [node-heat].')
    else front.alerts = ids.map(String)
  }
  const inputs = members.get('inputs')
  if (inputs !== undefined && isMap(inputs.value)) front.inputs = readInputs(block, inputs.value as YAMLMap, say)
  else if (inputs !== undefined && !(isScalar(inputs.value) && inputs.value.value === null))
    say(placeOf(inputs.key).line, 'inputs: write each input by its name, such as node: { type: node }.')
  return front
}

function readInputs(block: Block, map: YAMLMap, say: Say): RunbookInput[] {
  return map.items.flatMap(({ key, value }) => {
    const { line, column } = block.placeOf(key)
    const name = textOf(key) ?? ''
    if (!/^[A-Za-z_]\w{0,39}$/.test(name) || reserved.includes(name)) {
      say(line, `${name || 'This'} cannot be an input’s name.`, { column })
      return []
    }
    if (!isMap(value)) {
      say(line, `${name}: write its type, such as { type: node }. There are ${types.join(', ')}.`, { column })
      return []
    }
    const members = membersOf(block, { map: value as YAMLMap, known: inputKeys, of: 'an input' }, say)
    const type = types.find((each) => each === textOf(members.get('type')?.value))
    if (type === undefined) {
      say(line, `${name}: its type is one of ${types.join(', ')}.`, { column })
      return []
    }
    const about = textOf(members.get('about')?.value)
    const given = members.get('default')?.value
    const usual = isScalar(given) && given.value !== null ? given.value : undefined
    const isOptional = textOf(members.get('optional')?.value) === 'true'
    return {
      name,
      type,
      about,
      isRequired: !isOptional && usual === undefined,
      default: usual,
    }
  })
}
