// Arrays as the page carries them: base64 of gzip of bytes, all lowest bytes first (see report/explorer.py).

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i8: BigInt64Array, f4: Float32Array };

/** Unpack one array, or the value of one of type json. A missing one is null. */
export async function unpack(packed) {
  if (!packed) return null;
  const bytes = await unzipped(bytesOf(packed.data));
  if (packed.type === "json") return JSON.parse(new TextDecoder().decode(bytes));
  const type = TYPES[packed.type];
  return new type(interleaved(bytes, type.BYTES_PER_ELEMENT).buffer);
}

function bytesOf(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function unzipped(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function interleaved(planes, size) {
  if (size === 1) return planes;
  const count = planes.length / size;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < size; plane++) {
    const start = plane * count;
    for (let i = 0; i < count; i++) bytes[i * size + plane] = planes[start + i];
  }
  return bytes;
}
