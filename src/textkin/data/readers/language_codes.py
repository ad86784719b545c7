"""Codes of languages, by which a header of translations is known from words such as "day" and "dag"."""

import re

# ISO 639-1, and ISO 639-2/T of the same languages with some more, such as gsw (Swiss German).
_TWO = (
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da "
    "de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz "
    "ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln "
    "lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi "
    "pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti "
    "tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
_THREE = (
    "aar abk afr aka amh ara arg asm ast ava ave aym aze bak bam bel ben bih bis bod bos bre bul cat "
    "ceb ces cha che chu chv cmn cor cos cre cym dan deu div dzo ell eng epo est eus ewe fao fas fij "
    "fil fin fra fry ful gla gle glg glv grn gsw guj hat hau heb her hin hmo hrv hun hye ibo ido iii "
    "iku ile ina ind ipk isl ita jav jpn kal kan kas kat kau kaz khm kik kin kir kom kon kor kua kur "
    "lao lat lav lim lin lit ltz lub lug mah mal mar mkd mlg mlt mon mri msa mya nau nav nbl nde ndo "
    "nds nep nld nno nob nor nya oci oji ori orm oss pan pli pol por pus que roh ron run rus sag san "
    "sin slk slv sme smo sna snd som sot spa sqi srd srp ssw sun swa swe tah tam tat tel tgk tgl tha "
    "tir ton tsn tso tuk tur twi uig ukr urd uzb ven vie vol wln wol xho yid yor yue zha zho zul"
)
_CODES = frozenset((*_TWO.split(), *_THREE.split()))
_CODE = re.compile(r"([a-z]{2,3})([-_][a-zA-Z]{2,4})?")


def is_language_code(cell: str) -> bool:
    """True for the code of a language, with a region or script or without.

    Example:
        >>> is_language_code("pt-BR"), is_language_code("zh_Hans"), is_language_code("dag")
        (True, True, False)
    """
    found = _CODE.fullmatch(cell)
    return found is not None and found[1] in _CODES
