import type { ComponentProps } from 'react'
import { navigate } from '../lib/location.tsx'

type Props = Omit<ComponentProps<'a'>, 'href'> & { to: string; replace?: boolean | undefined }

/** A link to a path of the dashboard. `replace` is true by default for a link to the present path. */
export function Link({ to, replace, onClick, ...rest }: Props) {
  const follow = (event: React.MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    // The browser itself handles opening a new tab or window, and downloads.
    const isOther = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
    if (event.defaultPrevented || isOther) return
    event.preventDefault()
    navigate(to, { replace: replace ?? event.currentTarget.href === location.href })
  }
  return <a {...rest} href={to} onClick={follow} />
}
