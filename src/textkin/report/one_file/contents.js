"use strict";
// The contents of the file: gzipped safetensors in base64. Offsets count from the end of the header.

const KINDS = { F32: Float32Array, I32: Int32Array, I8: Int8Array, U8: Uint8Array };

const bytesOf = (base64) => {
  const letters = atob(base64);
  const found = new Uint8Array(letters.length);
  for (let place = 0; place < letters.length; place++) found[place] = letters.charCodeAt(place);
  return found;
};

async function unpacked(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const size = Number(new DataView(buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size)));
  const tensor = (name) => {
    const { dtype, data_offsets: [start, end] } = header[name];
    return new KINDS[dtype](buffer.slice(8 + size + start, 8 + size + end));
  };
  const facts = JSON.parse(new TextDecoder().decode(tensor("facts")));
  return { facts, tensor, has: (name) => name in header };
}
