/** Returns a link into the dashboard with a secret in its fragment. Servers, logs and referrers do not see a fragment. */
export const linkAt = (base: string, page: 'join' | 'reset', secret: string): string =>
  `${new URL(base).origin}/#/${page}/${secret}`
