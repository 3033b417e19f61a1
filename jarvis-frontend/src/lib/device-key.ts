/** Opens the database that the service worker also reads. */
function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open('jarvis', 1)
    asked.onupgradeneeded = () => asked.result.createObjectStore('keys')
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => reject(asked.error ?? new Error('This browser keeps no key.'))
  })
}

async function store(value: CryptoKey | undefined): Promise<void> {
  const database = await opened()
  await new Promise<void>((resolve, reject) => {
    const work = database.transaction('keys', 'readwrite')
    if (value === undefined) work.objectStore('keys').delete('push')
    else work.objectStore('keys').put(value, 'push')
    work.oncomplete = () => resolve()
    work.onerror = () => reject(work.error ?? new Error('This browser keeps no key.'))
  })
  database.close()
}

/**
 * Creates the key pair with which this browser's notifications decide cards. No page can read the private key. @returns the public key: SPKI, DER in
 * base64url
 */
export async function makeDeviceKey(): Promise<string> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
  await store(pair.privateKey)
  const bytes = new Uint8Array(await crypto.subtle.exportKey('spki', pair.publicKey))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

export const forgetDeviceKey = () => store(undefined)
