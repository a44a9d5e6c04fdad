// Values of C++ and its standard library. The program says itself what its variables hold.
#include <array>
#include <atomic>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#define IMPORT(n) __attribute__((import_module("env"), import_name(#n))) extern "C"
IMPORT(said) void said(const char *name, unsigned name_bytes, const char *text, unsigned text_bytes);
IMPORT(stop) void stop();

using Text = std::string;

static Text text(long long number) {
    if (number < 0) return Text("-") + text(-number);
    Text last(1, char('0' + number % 10));
    return number < 10 ? last : text(number / 10) + last;
}
static Text text(int number) { return text((long long)number); }
static Text text(unsigned number) { return text((long long)number); }
static Text text(short number) { return text((long long)number); }
static Text text(bool truth) { return truth ? "true" : "false"; }
static Text text(char letter) { return text((long long)letter) + " '" + letter + "'"; }
static Text text(const Text &t) { return Text("\"") + t + "\""; }
static Text text(double number) {
    long long halves = (long long)(number * 2);
    return text(halves / 2) + (halves % 2 ? ".5" : ".0");
}

struct Point { int x, y; };
static Text text(const Point &p) { return Text("{x: ") + text(p.x) + ", y: " + text(p.y) + "}"; }
template <typename A, typename B> static Text text(const std::pair<A, B> &p);
template <typename T> static Text text(const std::vector<T> &all);
template <typename T> static Text all(const T &elements, const char *open, const char *close) {
    Text out = open;
    for (const auto &element : elements) {
        if (out.size() > 1) out += ", ";
        out += text(element);
    }
    return out + close;
}
template <typename T> static Text map(const T &entries) {
    Text out = "{";
    for (const auto &[key, value] : entries) {
        if (out.size() > 1) out += ", ";
        out += text(key) + ": " + text(value);
    }
    return out + "}";
}
template <typename A, typename B> static Text text(const std::pair<A, B> &p) {
    return Text("(") + text(p.first) + ", " + text(p.second) + ")";
}
template <typename T> static Text text(const std::vector<T> &v) { return all(v, "[", "]"); }

static void tell(const char *name, const Text &t) { said(name, __builtin_strlen(name), t.data(), t.size()); }
#define SAY(variable, what) tell(#variable, what)

extern "C" int sequences(int seed) {
    std::vector<int> numbers{1, -2, seed};
    std::vector<bool> bits{true, false, true, true, false, false, true, false, true, true};
    std::vector<Point> points{{1, 2}, {3, seed}};
    std::vector<Text> words{"ab", "a word that is too long to lie in the object"};
    std::vector<std::vector<short>> nested{{1}, {2, 3}};
    std::vector<double> empty;
    Text little = "short", longer = "a string that does not fit into itself", none;
    Text ten = "0123456789";
    std::u16string wide = u"wid\u00eb";
    std::string_view view = longer;
    std::array<short, 3> array{1, 2, 3};
    std::deque<int> deque{1, 2, 3};
    deque.pop_front();
    deque.push_front(9);
    deque.push_front(8);
    std::list<int> list{4, 5};
    std::forward_list<int> forward{6, 7};
    std::span<int> span(numbers);
    std::vector<int> many(40, seed);
    SAY(numbers, text(numbers));
    SAY(bits, all(bits, "[", "]"));
    SAY(points, text(points));
    SAY(words, text(words));
    SAY(nested, text(nested));
    SAY(empty, text(empty));
    SAY(little, text(little));
    SAY(longer, text(longer));
    SAY(none, text(none));
    SAY(ten, text(ten));
    SAY(wide, text(Text("wid\xc3\xab")));
    SAY(view, text(Text(view)));
    SAY(array, all(array, "[", "]"));
    SAY(deque, all(deque, "[", "]"));
    SAY(list, all(list, "[", "]"));
    SAY(forward, all(forward, "[", "]"));
    SAY(span, all(span, "[", "]"));
    SAY(many, text(many));
    SAY(numbers[1], text(numbers[1]));
    SAY(points[1].y, text(points[1].y));
    SAY(nested[1][0], text(nested[1][0]));
    SAY(bits[2] == true, text(int(bits[2] == true)));
    SAY(deque[1], text(deque[1]));
    stop();
    return numbers.size() + points.size() + bits.size() + deque.size() + list.size() + array[0] + span[0];
}

extern "C" int wrappers(int seed) {
    std::unique_ptr<Point> unique(new Point{5, seed}), no_unique;
    std::shared_ptr<int> shared(new int(7)), second = shared, made = std::make_shared<int>(seed);
    std::weak_ptr<int> weak = shared, expired = std::make_shared<int>(1);
    std::optional<int> some = seed, nothing;
    std::optional<Text> some_text = "optional";
    std::variant<int, Text, double> floating = 2.5, worded = Text("v"), whole = seed;
    std::pair<int, char> pair{1, 'c'};
    std::tuple<int, Text, bool> tuple{seed, "t", true};
    std::tuple<> no_tuple;
    std::atomic<int> atomic{seed};
    std::reference_wrapper<int> wrapper = *shared;
    std::unique_ptr<std::vector<int>> inside(new std::vector<int>{1, seed});
    SAY(unique, text(*unique));
    SAY(no_unique, "<null>");
    SAY(shared, text(*shared) + " (2 owners, 1 weak)");
    SAY(made, text(*made));
    SAY(weak, text(*weak.lock()) + " (weak)");
    SAY(expired, "<expired>");
    SAY(some, text(*some));
    SAY(nothing, "<nullopt>");
    SAY(some_text, text(*some_text));
    SAY(floating, text(std::get<double>(floating)));
    SAY(worded, text(std::get<Text>(worded)));
    SAY(whole, text(std::get<int>(whole)));
    SAY(pair, text(pair));
    SAY(tuple, Text("(") + text(std::get<0>(tuple)) + ", " + text(std::get<1>(tuple)) + ", " + text(std::get<2>(tuple)) + ")");
    SAY(atomic, text(atomic.load()));
    SAY(wrapper, text(wrapper.get()));
    SAY(inside, text(*inside));
    SAY(unique->y, text(unique->y));
    SAY(*shared + 1, text(*shared + 1));
    SAY(pair.second, text(pair.second));
    stop();
    return unique->x + *made + std::get<0>(tuple) + whole.index();
}

extern "C" int maps(int seed) {
    std::map<int, Text> map{{1, "one"}, {2, "two"}, {seed, "seed"}};
    std::map<Text, Point> by_name{{"here", {1, seed}}, {"there", {3, 4}}};
    std::map<short, short> no_map;
    std::set<char> set{'a', 'b'};
    std::multiset<int> multi{2, 1, 2};
    std::unordered_map<int, int> table{{1, 10}, {2, 20}, {seed, 30}};
    std::unordered_set<int> members{4, 5};
    std::map<int, std::vector<int>> lists{{1, {1, 2}}};
    std::map<int, int> tall;
    for (int i = 0; i < 12; i++) tall[i * seed] = i;
    SAY(map, ::map(map));
    SAY(by_name, ::map(by_name));
    SAY(no_map, "{}");
    SAY(set, all(set, "{", "}"));
    SAY(multi, all(multi, "{", "}"));
    SAY(table, ::map(table));
    SAY(members, all(members, "{", "}"));
    SAY(lists, ::map(lists));
    SAY(tall, ::map(tall));
    SAY(map[2], text(map[2]));
    tell("by_name[\"there\"].x", text(by_name["there"].x));
    SAY(tall[6], text(tall[6]));
    stop();
    return map.size() + by_name.size() + table.size() + members.size() + tall.size();
}

struct Base {
    int id;
    virtual int speed() const { return id; }
    virtual ~Base() {}
};
struct Tagged { short tag; };
struct Wheel : Base, Tagged {
    short rpm = 5;
    int &shared;
    union { int whole; short half; };
    explicit Wheel(int &s) : shared(s) { whole = 6; }
    __attribute__((noinline)) int speed() const override {
        SAY(rpm, text(rpm));
        SAY(id, text(id));
        SAY(shared, text(shared));
        SAY(whole, text(whole));
        SAY(this->rpm + id, text(this->rpm + id));
        stop();
        return rpm;
    }
};

extern "C" int language(int seed) {
    int number = seed;
    int &alias = number;
    Point point{1, 2};
    const Point &other = point;
    Point &&moved = Point{3, seed};
    Wheel wheel(alias);
    wheel.id = 9;
    wheel.tag = 4;
    Base &base = wheel;
    Base *pointer = &base;
    std::vector<int> items{4, 5};
    const std::vector<int> &seen = items;
    alias = 25;
    SAY(alias, text(alias));
    SAY(alias == 25, text(int(alias == 25)));
    SAY(alias + number, text(alias + number));
    SAY(&alias == &number, text(int(&alias == &number)));
    SAY(other, text(other));
    SAY(other.y, text(other.y));
    SAY(moved.y, text(moved.y));
    SAY(wheel.id, text(wheel.id));
    SAY(wheel.rpm, text(wheel.rpm));
    SAY(wheel.shared, text(wheel.shared));
    SAY(wheel.half, text(wheel.half));
    SAY(wheel, "{Base: {id: 9}, Tagged: {tag: 4}, rpm: 5, shared: 25, {whole: 6, half: 6}}");
    SAY(base.id, text(base.id));
    SAY(pointer->id, text(pointer->id));
    SAY(seen[1], text(seen[1]));
    SAY(seen, text(seen));
    stop();
    return pointer->speed() + moved.x + other.x + seen.size();
}

extern "C" __attribute__((export_name("main"))) int start(int seed) {
    return sequences(seed) + wrappers(seed) + maps(seed) + language(seed);
}
