/** A link into the dashboard that carries a secret in its fragment, which no server, log or referrer sees. */
export const linkAt = (base: string, page: 'join' | 'reset', secret: string): string =>
  `${new URL(base).origin}/#/${page}/${secret}`
