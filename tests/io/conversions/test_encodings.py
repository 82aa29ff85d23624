"""Encodings that are found: a guess is made only where the text then makes sense."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from sample_files import read_text, write_file

from voile.errors import DataError
from voile.io.conversions.column_readings import ReadingRecord
from voile.io.conversions.encodings import detect_encoding, is_western

GERMAN = "Name;Größe\nMüller;1,80\nWeiß;1,75\n"


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
    ],
)
def test_encodings_are_found(tmp_path: Path, encoding: str, found: str) -> None:
    record = ReadingRecord()
    frame = read_text(tmp_path, GERMAN.encode(encoding), record=record)
    assert frame.rows() == [("Müller", 1.80), ("Weiß", 1.75)]
    assert frame.columns == ["Name", "Größe"]
    assert record.encoding == found


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Łódź, Pawłowska", "cp1250"),
        ("Čapek, Dvořák", "cp1250"),
        ("Szűcs, Győr, Tóth", "cp1250"),
        ("Привет, мир", "cp1251"),
        ("Γειά, Κόσμε", "cp1253"),
        ("Ağaoğlu, Şahin", "cp1254"),
        ("Müller, Größe", "cp850"),
        ("Müller, Größe", "mac_roman"),
        ("日本語, テスト", "shift_jis"),
        ("日本語, 山田", "euc_jp"),
    ],
)
def test_other_encodings_are_refused_and_not_guessed(tmp_path: Path, text: str, encoding: str) -> None:
    with pytest.raises(DataError) as error:
        read_text(tmp_path, f"a,b\n{text}\n".encode(encoding))
    assert error.value.code == "data.encoding"


CITIES_AND_WORDS = {  # encoding, and words of one language in it
    "German": ("cp1252", "Köln Düsseldorf Größe Straße Jürgen Käthe Groß Österreich Übung Ärztin Mönchengladbach Süß"),
    "French": (
        "cp1252",
        "Renée André Chloé Béziers santé forêt déjà père très Hélène François Benoît Nîmes théâtre où sœur août",
    ),
    "Spanish": ("cp1252", "José María Martínez Muñoz Ibáñez Núñez Málaga Córdoba León Logroño Íñigo Begoña año así"),
    "Portuguese": (
        "cp1252",
        "João Conceição Antônio Inês Simões Guimarães Goiânia educação ações Suíça irmã três você",
    ),
    "Italian": ("cp1252", "città università perché così più Niccolò Forlì Cantù Cefalù martedì libertà caffè cioè"),
    "Dutch": ("cp1252", "België Italië patiënten coördinatie reünie Daniëlle Zoë ideeën één vóór naïef egoïst"),
    "Swedish": ("cp1252", "Göteborg Malmö Västerås Örebro Umeå Växjö Åsa Björn Håkan Märta Sjögren är på två"),
    "Danish": ("cp1252", "København Århus Ålborg Næstved Køge Søren Jørgen Kjær Nygård Østergaard Tromsø Bodø"),
    "Finnish": ("cp1252", "Jyväskylä Hämeenlinna Järvenpää Mäkinen Väinö Päivi Töölö Äänekoski Pöyry lääkäri"),
    "Polish": ("cp1250", "Łódź Gdańsk Poznań Wrocław Białystok Częstochowa Toruń Łukasz Paweł Michał Wałęsa Dąbrowski"),
    "Polish, ISO": (
        "iso8859-2",
        "Łódź Gdańsk Poznań Wrocław Białystok Częstochowa Toruń Łukasz Paweł Wałęsa Dąbrowski",
    ),
    "Czech": ("cp1250", "Plzeň Děčín Říčany Příbram Jičín Dvořák Černý Kučera Růžička Beneš Jiří Tomáš Matěj"),
    "Slovak": ("cp1250", "Košice Prešov Žilina Trenčín Levoča Ľubica Štefan Anežka Kováč Balážová Šimko Ďurica"),
    "Hungarian": ("cp1250", "Győr Sőreg Kőszeg Hódmezővásárhely Gödöllő Szűcs Erdős Gergő Dezső Jenő Kőműves nő nős"),
    "Croatian": ("cp1250", "Šibenik Čakovec Požega Varaždin Križevci Kovačević Marić Jurić Đurić Šarić muškarac"),
    "Romanian": ("cp1250", "Bucureşti Braşov Timişoara Constanţa Galaţi Bacău Sălaj Mureş Ştefan Răzvan bărbat"),
    "Latvian": ("cp1257", "Rīga Jūrmala Liepāja Rēzekne Jēkabpils Cēsis Kuldīga Bērziņš Jānis Pēteris Kārlis"),
    "Lithuanian": ("cp1257", "Klaipėda Šiauliai Panevėžys Mažeikiai Kėdainiai Tauragė Birutė Eglė Rūta Žukauskas"),
    "Turkish": ("cp1254", "Muğla Şırnak Eskişehir Ağrı Iğdır Yılmaz Şahin Doğan Kılıç kadın"),
    "Russian": ("cp1251", "Москва Казань Тула Иванов мужчина женщина"),
    "Russian, KOI8": ("koi8-r", "Москва Казань Тула Иванов мужчина женщина"),
    "Greek": ("cp1253", "Αθήνα Πάτρα Θεσσαλονίκη άνδρας γυναίκα γιατρός"),
    "Chinese": ("gb18030", "北京 上海 广州 深圳 杭州 南京 武汉 成都 已婚 教师 张伟 李娜"),
    "Chinese, Big5": ("big5", "台北 高雄 台中 已婚 未婚 教師 醫生 陳怡君 王小明"),
    "Japanese": ("shift_jis", "東京 大阪 名古屋 横浜 山田 太郎 教師 テスト"),
    "Korean": ("euc_kr", "서울 부산 대구 남자 여자 교사 의사 김철수"),
    "German, DOS": ("cp850", "Köln Düsseldorf Müller Schröder Käthe Österreich"),
    "German, Mac": ("mac_roman", "Köln Düsseldorf Größe Müller Schröder Käthe"),
}


def draw_files(language: str, words: int) -> list[bytes]:
    """Return files of some words of a language, each beside words of ASCII alone."""
    encoding, text = CITIES_AND_WORDS[language]
    rng = random.Random(words)
    drawn = (rng.sample(text.split(), min(words, len(text.split()))) for _ in range(60))
    return ["\n".join(["name,n", *(f"{word},1" for word in sample), "Berlin,1"]).encode(encoding) for sample in drawn]


@pytest.mark.parametrize("language", CITIES_AND_WORDS)
def test_languages_are_told_apart_by_a_few_words(language: str) -> None:
    encoding, _ = CITIES_AND_WORDS[language]
    for words, share in ((1, 0.6), (2, 0.9), (4, 0.95), (6, 1.0)):
        files = draw_files(language, words)
        if encoding == "cp1252":
            assert sum(map(is_western, files)) >= share * len(files), words
            continue
        # a file that has the same letters in both encodings is read as it is
        misread = [one for one in files if is_western(one) and one.decode(encoding) != one.decode("cp1252")]
        assert len(misread) <= (1 - share) * len(files), words


@pytest.mark.parametrize("language", [name for name, (encoding, _) in CITIES_AND_WORDS.items() if encoding != "cp1252"])
def test_the_refusal_names_the_encoding(tmp_path: Path, language: str) -> None:
    encoding, text = CITIES_AND_WORDS[language]
    with pytest.raises(DataError, match="encoding") as error:
        read_text(tmp_path, ("name,n\n" + "".join(f"{word},1\n" for word in text.split())).encode(encoding))
    assert encoding in str(error.value)
    assert not any(word in str(error.value) for word in text.split())


@pytest.mark.parametrize("language", CITIES_AND_WORDS)
def test_german_files_with_names_of_another_language(language: str) -> None:
    encoding, text = CITIES_AND_WORDS[language]
    german = [*CITIES_AND_WORDS["German"][1].split(), "Müller", "Schröder", "Jäger", "Krüger", "Schäfer", "Weiß"]
    names = [word for word in text.split() if not word.isascii()][::3]
    same = encoding in ("cp1252", "cp1250", "cp1257", "cp1254", "iso8859-2")
    content = "\n".join(german).encode(encoding if same else "cp1252") + b"\n" + "\n".join(names).encode(encoding)
    assert is_western(content) == (encoding == "cp1252")


def test_turkish_names_in_german_files() -> None:
    assert is_western("Köln\nMüller\nGroß\nÖztürk\nÇelik\nGökçe\nKoç\nJäger".encode("cp1252"))


def test_utf8_with_a_broken_byte_is_not_taken_for_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not utf-8: 1 lines cannot be decoded, the first at line 3"):
        read_text(tmp_path, "a,b\nMüller,1\n".encode() + b"Wei\xdf,2\n")


@pytest.mark.parametrize(
    "text", ["„Spaß“; 20 °C; 5 µg", "l’été à Nîmes", "Ångström", "Núñez, José", "São João", "3 m²"]
)
def test_western_text_is_recognised(tmp_path: Path, text: str) -> None:
    assert detect_encoding(write_file(tmp_path, f"a\n{text}\n".encode("cp1252"))) == "cp1252"


def test_two_languages_in_one_file_are_recognised(tmp_path: Path) -> None:
    text = "Größe, Müller, Zoë\n" * 9
    assert detect_encoding(write_file(tmp_path, f"a,b,c\n{text}".encode("cp1252"))) == "cp1252"


def test_hungarian_is_not_taken_for_two_languages(tmp_path: Path) -> None:
    text = "Szűcs, Győr, Tóth, Kőműves, Nagy János, Zoltán, Ödön, Ürög\n" * 9
    assert detect_encoding(write_file(tmp_path, f"a,b,c,d,e,f,g,h\n{text}".encode("cp1250"))) == "utf-8"
