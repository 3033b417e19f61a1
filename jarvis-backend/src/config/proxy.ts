import { z } from 'zod'
import { defineSettings } from './setting.ts'

const text = { section: 'Proxy', schema: z.string().optional(), mayHaveQuotes: true, default: 'none' } as const

/**
 * The proxy variables. `lib/proxies.ts` reads their values, because names in lower case take precedence, and finds the passwords in them for the
 * redactor.
 */
export const proxyVariables = defineSettings({
  HTTPS_PROXY: {
    ...text,
    about: 'the HTTP proxy for `https://` addresses, `http://NAME:PASSWORD@proxy.lan:3128`',
    example: 'http://proxy.lan:3128',
  },
  HTTP_PROXY: { ...text, about: 'the one for `http://` addresses', example: 'http://proxy.lan:3128' },
  ALL_PROXY: { ...text, about: 'the one for whichever of both is not set', example: 'http://proxy.lan:3128' },
  NO_PROXY: {
    ...text,
    about:
      'what is reached directly: names with all below them (`example.org`, `.example.org`), addresses, networks (`203.0.113.0/24`), each with `:PORT` or without, separated by commas or blanks; `*` for everything',
    example: 'example.org,203.0.113.0/24',
  },
})
