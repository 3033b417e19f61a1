// Tells that a card waits, and opens it. A button of a light card decides it, signed with a key that no page can read. It answers no request:
// every card comes from the server itself.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('push', (event) => {
  event.waitUntil(tell(read(event.data)))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { path, buttons } = event.notification.data ?? {}
  const decision = { approve: 'approved', deny: 'denied' }[event.action]
  event.waitUntil(buttons && decision ? decide(decision, buttons, event.notification) : open(path))
})

function read(data) {
  try {
    return data.json()
  } catch {
    return {}
  }
}

async function tell({ title, body, tag, path, withdraws, buttons }) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const isSeen = windows.some((client) => client.focused)
  await self.registration.showNotification(String(title ?? 'JARVIS asks'), {
    body: String(body ?? 'A call waits for you.'),
    tag: String(tag ?? 'card'),
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    silent: isSeen || withdraws === true,
    data: { path, buttons },
    ...(buttons?.labels && { actions: buttons.labels.map(({ does, label }) => ({ action: does, title: label })) }),
  })
  if (!isSeen && withdraws !== true) return
  // A person who looks at the page, or whose card is decided, needs no notification. Some browsers withdraw the permission if a push shows none.
  for (const note of await self.registration.getNotifications({ tag: String(tag ?? 'card') })) note.close()
}

/** The key of this browser, which the page made at subscription. */
function ownKey() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open('jarvis', 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore('keys')
    asked.onerror = () => reject(asked.error)
    asked.onsuccess = () => {
      const found = asked.result.transaction('keys').objectStore('keys').get('push')
      found.onsuccess = () => resolve(found.result)
      found.onerror = () => reject(found.error)
    }
  })
}

async function decide(decision, { device, challenge, before, after }, { tag, data }) {
  let why = 'JARVIS could not be reached. The card waits.'
  try {
    const text = new TextEncoder().encode(`jarvis-device-v1\0${before}"${decision}"${after}`)
    const made = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, await ownKey(), text)
    const letters = btoa(String.fromCharCode(...new Uint8Array(made)))
    const signature = letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    const response = await fetch('/api/push/decide', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ device, challenge, decision, signature }),
    })
    if (response.ok) return
    why = (await response.json()).error.message
  } catch {
    // Said as it stands.
  }
  await self.registration.showNotification('Nothing was decided', {
    body: why,
    tag,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: { path: data?.path },
  })
}

async function open(path) {
  // Only ever a page of the dashboard.
  const url = new URL(typeof path === 'string' ? path : '/waiting', self.location.origin)
  const place = url.origin === self.location.origin ? url.href : self.location.origin
  const [first] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (first === undefined) return self.clients.openWindow(place)
  first.postMessage({ open: url.pathname + url.search })
  await first.focus()
}
