import { useSyncExternalStore } from 'react'

export const phone = matchMedia('(max-width: 767px)')
export const narrow = matchMedia('(max-width: 1279px)')

const subscribers = new WeakMap<MediaQueryList, (listener: () => void) => () => void>()

function subscriberOf(media: MediaQueryList) {
  const known = subscribers.get(media)
  if (known !== undefined) return known
  const made = (listener: () => void) => {
    media.addEventListener('change', listener)
    return () => media.removeEventListener('change', listener)
  }
  subscribers.set(media, made)
  return made
}

export const useMedia = (media: MediaQueryList): boolean =>
  useSyncExternalStore(subscriberOf(media), () => media.matches)
