import { type ChannelDelivery, type ChannelInfo, JarvisError } from 'protocol'
import type { Config } from '../config/config.ts'
import type { Input } from './options.ts'
import { asOperatorOnce } from './remote/operator.ts'
import { reach } from './remote/reach.ts'
import { columns, styleFor, timeOf } from './terminal/style.ts'
import { visible } from './terminal/visible.ts'

const usage =
  'Use channels, channels log, channels test CHANNEL, channels groups CHANNEL, or channels tell CHANNEL NUMBER.'
/** The number of words after each action. */
const words: Readonly<Record<string, number>> = { list: 0, log: 0, test: 1, groups: 1, tell: 2 }

/** `jarvis channels`: lists the channels and the messages that JARVIS sent, and sends a test. Requires an operator. */
export async function channels(
  config: Config,
  { values, positionals }: Input<{ url?: string; json?: boolean }>,
): Promise<void> {
  const [action = 'list', channel = '', group = ''] = positionals
  if (words[action] !== Math.max(0, positionals.length - 1)) throw new JarvisError('invalid_request', usage)
  const remote = await reach(config, values.url)
  const reply = await asOperatorOnce(remote, 'Channels', async (operator, stepUp): Promise<Said> => {
    const params = { channel }
    switch (action) {
      case 'groups':
        return operator
          .call('GET /api/channels/:channel/groups', { params })
          .then(({ items }) => ({ data: items, rows: items.map(({ id, name }) => [id, visible(name)]) }))
      case 'tell':
        await stepUp()
        return operator
          .call('POST /api/channels/:channel/groups', { params, body: { group } })
          .then((told) => ({ data: told, rows: [[told.user, visible(told.name), 'is told from now on']] }))
      case 'test':
        return operator
          .call('POST /api/channels/:channel/test', { params, body: {} })
          .then((sent) => ({ data: sent, rows: [deliveryRow(sent)] }))
      case 'log':
        return operator
          .call('GET /api/channel-deliveries')
          .then(({ items }) => ({ data: items, rows: items.toReversed().map(deliveryRow) }))
      default:
        return operator.call('GET /api/channels').then(({ items }) => ({ data: items, rows: items.map(channelRow) }))
    }
  })
  if (values.json === true) console.log(JSON.stringify(reply.data, null, 2))
  else if (reply.rows.length === 0)
    console.log(action === 'groups' ? 'No other group is known that could be told.' : 'Nothing was sent yet.')
  else console.log(columns(reply.rows, styleFor(process.stdout)).join('\n'))
}

type Said = { data: unknown; rows: string[][] }

function channelRow({ id, state, place = '', recipients, waiting, problem }: ChannelInfo): string[] {
  const names = recipients
    .map(({ isGroup, name, personName, decides }) => (isGroup ? `${name} (group)` : `${personName} (${decides})`))
    .join(', ')
  const late = waiting === 0 ? [] : [`${waiting} waiting`]
  return [id, state, visible(place), visible([names, ...late, problem ?? ''].filter((part) => part !== '').join('; '))]
}

const deliveryRow = ({ at, channel, to, state, title, why }: ChannelDelivery): string[] => [
  timeOf(at),
  channel,
  visible(to),
  why === undefined ? state : visible(`${state}: ${why}`),
  visible(title),
]
