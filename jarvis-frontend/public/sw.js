// Tells that a card waits, and opens it. It keeps nothing and answers no request: every card comes from the server itself.
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('push', (event) => {
  event.waitUntil(tell(read(event.data)))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.path))
})

function read(data) {
  try {
    return data.json()
  } catch {
    return {}
  }
}

async function tell({ title, body, tag, path, withdraws }) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const isSeen = windows.some((client) => client.focused)
  await self.registration.showNotification(String(title ?? 'JARVIS asks'), {
    body: String(body ?? 'A call waits for you.'),
    tag: String(tag ?? 'card'),
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    silent: isSeen || withdraws === true,
    data: { path },
  })
  if (!isSeen && withdraws !== true) return
  // Who looks at the page, or has a decided card, needs none. Some browsers withdraw the permission where none is shown at all.
  for (const note of await self.registration.getNotifications({ tag: String(tag ?? 'card') })) note.close()
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
