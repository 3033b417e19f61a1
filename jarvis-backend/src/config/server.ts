import { isIP } from 'node:net'
import { z } from 'zod'
import { logLevels } from '../lib/log-levels.ts'
import { listOf, wholeNumber } from './schemas.ts'
import { defineSettings } from './setting.ts'

export const serverSettings = defineSettings({
  PORT: {
    section: 'Server',
    schema: wholeNumber([0, 65_535], 4000, '4000'),
    default: '`4000`',
    about: 'port to listen on',
    example: '4000',
    stopsStart: true,
  },
  HOST: {
    section: 'Server',
    schema: z.string().default('127.0.0.1'),
    default: '`127.0.0.1`',
    about: 'address to listen on; any but loopback needs `JARVIS_PASSWORD` and `JWT_SECRET`',
    example: '127.0.0.1',
    stopsStart: true,
  },
  JARVIS_ALLOWED_HOSTS: {
    section: 'Server',
    schema: listOf().refine((items) => items.every((item) => /^[a-z0-9.-]+$/.test(item)), {
      message: 'must be a comma list of host names without port, for example jarvis.lan,jarvis.example.org',
    }),
    default: 'none',
    about: 'host names under which the dashboard may be opened; addresses and `localhost` always may',
    example: 'jarvis.lan',
  },
  JARVIS_PUBLIC_URL: {
    section: 'Server',
    schema: z
      .string()
      .refine(
        (text) => /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).href === `${new URL(text).origin}/`,
        {
          message: 'must be an origin without a path, for example https://jarvis.example.org',
        },
      )
      .transform((text) => new URL(text).origin)
      .optional(),
    default: 'none',
    about:
      'the origin that an HTTPS proxy shows, which passes the Host on; MCP clients that sign in by OAuth need it, and sign-ins are kept in [a cookie](sign-in.md#sessions) there',
    example: 'https://jarvis.example.org',
  },
  JARVIS_SIGN_IN_IDLE_DAYS: {
    section: 'Server',
    schema: wholeNumber([1, 30], 14, '14'),
    default: '`14`',
    about: 'days without use after which a [sign-in](sign-in.md#sessions) ends, 1 to 30',
    example: '14',
  },
  JARVIS_TRUSTED_PROXIES: {
    section: 'Server',
    schema: listOf().refine((items) => items.every((item) => isIP(item) !== 0), {
      message: 'must be a comma list of IP addresses, for example 127.0.0.1,10.0.4.2',
    }),
    default: 'none',
    about:
      'addresses of proxies whose `X-Forwarded-For` or `Forwarded` is believed: wrong passwords are counted [by where they come from](sign-in.md#behind-a-proxy)',
    example: '127.0.0.1',
  },
  JARVIS_DATA_DIR: {
    section: 'Server',
    schema: z.string().optional(),
    default: '`~/.jarvis`',
    about: 'the folder that holds all data: database, persona, generated secrets',
    example: '~/.jarvis',
  },
  JARVIS_PASSWORD: {
    section: 'Server',
    schema: z.string().min(8, 'must have at least 8 characters, for example correct-horse-battery').optional(),
    secret: true,
    mayHaveQuotes: true,
    stopsStart: true,
    default: 'made at the first start, printed once',
    about: "the operator's password, 8 characters or more",
    example: 'correct-horse-battery',
  },
  JARVIS_SECRETS_KEY: {
    section: 'Server',
    schema: z
      .string()
      .regex(
        /^\s*[0-9a-f]{64}([\s,]+[0-9a-f]{64})*\s*$/i,
        'must be a key of 64 hexadecimal digits, or several with spaces between; make one with: openssl rand -hex 32',
      )
      .optional(),
    secret: (text) => text.split(/[\s,]+/),
    stopsStart: true,
    default: 'none',
    about:
      'the key that [seals secrets](secrets.md), 64 hexadecimal digits (`openssl rand -hex 32`); counts before any file',
    example: '',
  },
  JARVIS_SECRETS_KEY_FILE: {
    section: 'Server',
    schema: z.string().optional(),
    default: 'beside the data dir',
    about: 'the file of that key, made at the first start',
    example: '~/.jarvis.key',
  },
  JWT_SECRET: {
    section: 'Server',
    schema: z.string().min(32, 'must have at least 32 characters; make one with: openssl rand -hex 32').optional(),
    secret: true,
    mayHaveQuotes: true,
    stopsStart: true,
    default: 'made at the first start',
    about: 'signs sign-ins, 32 characters or more (`openssl rand -hex 32`)',
    example: '',
  },
  TZ: {
    section: 'Server',
    schema: z.string().optional(),
    default: "the machine's; UTC in a container",
    about:
      'the zone of hours that name none: new jobs, quiet times, `hours` of the policy, days of [limits](limits.md), for example `Europe/Berlin`; the doctor names it',
    example: 'Europe/Berlin',
  },
  LOG_LEVEL: {
    section: 'Server',
    schema: z.enum(logLevels, `must be one of ${logLevels.join(', ')}, for example info`).default('info'),
    default: '`info`',
    about: 'how much is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`',
    example: 'info',
  },
})

/** Variables of the operating system that JARVIS also reads. */
export const systemSettings = defineSettings({
  SSH_AUTH_SOCK: { schema: z.string().optional() },
  PATH: { schema: z.string().optional(), isLent: true },
  HOME: { schema: z.string().optional(), isLent: true },
  LANG: { schema: z.string().optional(), isLent: true },
})
