"use strict";
// What Snowball's stemmers have in common. The language's own rules follow in a script that textkin translated.

class Snowball {
  stem(word) {
    this.current = word;
    this.cursor = this.limit_backward = this.bra = 0;
    this.limit = this.ket = word.length;
    this._stem();
    return this.current;
  }

  in_grouping(letters) {
    if (this.cursor >= this.limit || !letters.includes(this.current[this.cursor])) return false;
    this.cursor++;
    return true;
  }

  in_grouping_b(letters) {
    if (this.cursor <= this.limit_backward || !letters.includes(this.current[this.cursor - 1])) return false;
    this.cursor--;
    return true;
  }

  out_grouping(letters) {
    if (this.cursor >= this.limit || letters.includes(this.current[this.cursor])) return false;
    this.cursor++;
    return true;
  }

  out_grouping_b(letters) {
    if (this.cursor <= this.limit_backward || letters.includes(this.current[this.cursor - 1])) return false;
    this.cursor--;
    return true;
  }

  go_in_grouping(letters) {
    while (this.in_grouping(letters));
    return this.cursor < this.limit;
  }

  go_in_grouping_b(letters) {
    while (this.in_grouping_b(letters));
    return this.cursor > this.limit_backward;
  }

  go_out_grouping(letters) {
    while (this.out_grouping(letters));
    return this.cursor < this.limit;
  }

  go_out_grouping_b(letters) {
    while (this.out_grouping_b(letters));
    return this.cursor > this.limit_backward;
  }

  eq_s(text) {
    if (!this.current.slice(this.cursor, this.limit).startsWith(text)) return false;
    this.cursor += text.length;
    return true;
  }

  eq_s_b(text) {
    if (!this.current.slice(this.limit_backward, this.cursor).endsWith(text)) return false;
    this.cursor -= text.length;
    return true;
  }

  // The longest entry that stands here and whose own condition holds.
  find_among(entries) {
    const rest = this.current.slice(this.cursor, this.limit), here = this.cursor;
    return this.among(entries.filter(([text]) => rest.startsWith(text)), (text) => here + text.length);
  }

  find_among_b(entries) {
    const rest = this.current.slice(this.limit_backward, this.cursor), here = this.cursor;
    return this.among(entries.filter(([text]) => rest.endsWith(text)), (text) => here - text.length);
  }

  among(entries, placeAfter) {
    entries.sort(([one], [other]) => other.length - one.length);
    for (const [text, , result, condition] of entries) {
      this.cursor = placeAfter(text);
      if (!condition) return result;
      const holds = this[condition]();
      this.cursor = placeAfter(text);
      if (holds) return result;
    }
    return 0;
  }

  replace_s(start, end, text) {
    const more = text.length - (end - start);
    this.current = this.current.slice(0, start) + text + this.current.slice(end);
    this.limit += more;
    if (this.cursor >= end) this.cursor += more;
    else if (this.cursor > start) this.cursor = start;
    return more;
  }

  slice_from(text) {
    this.replace_s(this.bra, this.ket, text);
    this.ket = this.bra + text.length;
  }

  slice_del() {
    this.slice_from("");
  }

  slice_to() {
    return this.current.slice(this.bra, this.ket);
  }

  insert(start, end, text) {
    const more = this.replace_s(start, end, text);
    if (start <= this.bra) this.bra += more;
    if (start <= this.ket) this.ket += more;
  }
}
