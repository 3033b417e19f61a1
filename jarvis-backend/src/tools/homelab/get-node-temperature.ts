import { z } from 'zod'
import { oneLine, plainName } from '../../homelab/format.ts'
import { TemperatureOutput } from '../outputs.ts'
import { homelabTool, reading } from './homelab-tool.ts'
import { NodeName, readTimeoutMs } from './inputs.ts'

export const getNodeTemperature = homelabTool({
  name: 'get_node_temperature',
  title: 'Read a node’s temperature',
  description:
    'Reads one node’s sensors now: the CPU’s temperature in °C and the other sensors. Use it when a node runs hot. Fails if the node is offline or has no sensors.',
  ...reading,
  timeoutMs: readTimeoutMs,
  input: z.strictObject({ node: NodeName.describe('The node’s exact name.') }),
  example: { node: 'pve' },
  output: TemperatureOutput,
  async run({ node }, context, { cluster, limits }) {
    const { celsius, sensor, all } = await cluster.temperature(node, context)
    const others = all
      .filter((reading) => reading.sensor !== sensor)
      .slice(0, 20)
      .map((reading) => `${oneLine(reading.sensor, 40)} ${reading.celsius} °C`)
    const words = `${plainName(node)} is at ${celsius} °C (${oneLine(sensor, 40)})${celsius >= limits().temperatureC[0] ? ', which is hot' : ''}.`
    return {
      text: others.length === 0 ? words : `${words} Others: ${others.join(', ')}.`,
      summary: `${Math.round(celsius)} °C`,
      data: { node, celsius, sensor, all },
    }
  },
})
