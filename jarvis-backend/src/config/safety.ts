import { z } from 'zod'
import { parseProtected } from '../gate/index.ts'
import { wholeNumber } from './schemas.ts'
import { defineSettings } from './setting.ts'

export const safetySettings = defineSettings({
  JARVIS_PROTECTED: {
    section: 'Safety',
    schema: z
      .string()
      .default('node/agent1')
      .transform((list, context) => {
        const parsed = parseProtected(list)
        if (parsed.ok) return parsed.targets
        context.addIssue(`has an item that cannot be read: ${parsed.problem}, for example node/agent1,vm/101`)
        return z.NEVER
      }),
    stopsStart: true,
    default: '`node/agent1`',
    about: '`node/NAME`, `vm/ID`, `ct/ID`, `service/NAME`, `storage/NAME`: nothing may change them',
    example: 'node/agent1',
  },
  CONFIRM_TTL_SECONDS: {
    section: 'Safety',
    schema: wholeNumber([1, 604_800], 900, '900'),
    default: '`900`',
    about: 'how long a card waits',
    example: '900',
  },
  JARVIS_TERMINAL: {
    section: 'Safety',
    schema: z.enum(['0', '1'], 'must be 1 (an operator may open a shell on a node) or 0, for example 1').default('0'),
    default: '`0`',
    about:
      '`1`: an operator may open a shell on a node, and a guest’s console, from the dashboard. They are the operator’s own, outside the gate',
    example: '0',
  },
  JARVIS_V1_HOLD_SECONDS: {
    section: 'Safety',
    schema: wholeNumber([0, 3_600], 50, '50'),
    default: '`50`',
    about:
      'how long [`/v1`](openai-api.md) holds the headers of an unstreamed answer back; a proxy must allow as long without a byte',
    example: '50',
  },
  JARVIS_MCP_TOKEN: {
    section: 'Safety',
    schema: z
      .string()
      .regex(
        /^(jarvis|jmcp)_/,
        'must be a token of the door mcp; make one with: npm run jarvis -- token create NAME --door mcp',
      )
      .optional(),
    secret: true,
    default: 'one of its own',
    about: 'the token that `npm run jarvis -- mcp` (MCP over stdio) uses',
    example: '',
  },
})
