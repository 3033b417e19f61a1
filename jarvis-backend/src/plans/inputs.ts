import { nearestName } from 'node-kit/nearest'
import type { ClusterState, RunbookInput } from 'protocol'
import { Mistake } from '../gate/index.ts'

/**
 * Returns the values of a runbook’s inputs, by name. An optional input that was not given is undefined.
 * @throws Mistake for an unknown or missing input, a value of the wrong type, or a node, guest or storage that the cluster does not have
 */
export function inputsOf(
  inputs: readonly RunbookInput[],
  given: Readonly<Record<string, unknown>>,
  cluster: Pick<ClusterState, 'nodes' | 'guests' | 'storages'>,
): Map<string, unknown> {
  const names = inputs.map(({ name }) => name)
  for (const name of Object.keys(given)) {
    if (names.includes(name)) continue
    const nearest = nearestName(name, names)
    const there = names.length === 0 ? 'It takes none.' : `It takes ${names.join(', ')}.`
    throw new Mistake(
      `inputs: there is no ${name}. ${there}${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`,
    )
  }
  return new Map(
    inputs.map((input) => {
      const value = (Object.hasOwn(given, input.name) ? given[input.name] : undefined) ?? input.default
      if (value === undefined || value === null) {
        if (input.isRequired)
          throw new Mistake(`inputs: ${input.name} is missing${input.about ? `: ${input.about}` : ''}.`)
        return [input.name, undefined]
      }
      return [input.name, valueOfType(input, value, cluster)]
    }),
  )
}

function valueOfType(
  { name, type }: RunbookInput,
  value: unknown,
  { nodes, guests, storages }: Pick<ClusterState, 'nodes' | 'guests' | 'storages'>,
): unknown {
  const wrong = (must: string, nearest?: string) =>
    new Mistake(`inputs: ${name} must be ${must}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`)
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : undefined
  switch (type) {
    case 'boolean':
      if (typeof value === 'boolean') return value
      if (text === 'true' || text === 'false') return text === 'true'
      throw wrong('true or false')
    case 'number':
      if (text !== undefined && text !== '' && Number.isFinite(Number(text))) return Number(text)
      throw wrong('a number')
    case 'text':
      if (text !== undefined && text !== '' && text.length <= 500) return text
      throw wrong('a text of 1 to 500 characters')
    case 'node': {
      const found = nodes.find((node) => node.name === text)
      if (found !== undefined) return found.name
      throw wrong(
        `a node of the cluster: ${nodes.map((node) => node.name).join(', ')}`,
        nearestIn(
          text,
          nodes.map((node) => node.name),
        ),
      )
    }
    case 'guest': {
      const named = guests.filter((guest) => String(guest.vmid) === text || guest.name === text)
      const [found] = named
      if (found !== undefined && named.length === 1) return found.vmid
      throw wrong(
        'a guest of the cluster, by its id',
        nearestIn(
          text,
          guests.map((guest) => guest.name),
        ),
      )
    }
    case 'storage': {
      const found = storages.find((storage) => storage.name === text)
      if (found !== undefined) return found.name
      throw wrong(
        'a storage of the cluster',
        nearestIn(
          text,
          storages.map((storage) => storage.name),
        ),
      )
    }
    default:
      return type satisfies never
  }
}

const nearestIn = (text: string | undefined, names: readonly string[]) =>
  text === undefined ? undefined : nearestName(text, names)
