# A roofline with its data. Draw it again: gnuplot roofline_conv2d.gp
if (!exists("svg")) svg = "roofline_conv2d.svg"
if (!exists("png")) png = "roofline_conv2d.png"
set encoding utf8
$points << EOD
115.57 3.09315e+12
276.783 2.73577e+13
572.39 3.00385e+13
62.3145 1.97348e+13
144.606 3.08505e+13
25.7683 2.57478e+13
490.04 2.93279e+13
234.431 3.3483e+12
561.448 7.7918e+13
1144.78 3.3945e+14
124.629 2.05748e+13
289.212 1.00774e+14
51.5366 2.28436e+13
980.08 1.72094e+14
237.77 3.35506e+12
569.443 7.32436e+13
1161.08 3.37461e+14
126.404 1.95198e+13
293.33 1.02636e+14
52.2705 2.27138e+13
994.037 1.69705e+14
1177.62 6.62523e+14
128.204 3.87267e+13
297.507 2.66468e+14
53.0148 1.11449e+14
1008.19 3.71304e+14
1194.39 6.84001e+14
130.029 2.81282e+13
301.744 2.65212e+14
53.7697 1.09101e+14
1022.55 3.58459e+14
241.156 3.33268e+12
577.552 6.88919e+13
1211.39 3.18402e+14
131.881 1.82959e+13
306.041 9.81782e+13
54.5354 2.86484e+13
1037.11 1.70657e+14
1211.39 4.89633e+14
131.881 2.4478e+13
306.041 1.73929e+14
54.5354 3.14667e+13
1037.11 2.69207e+14
109.215 8.61988e+11
261.562 1.00306e+12
540.914 1.03186e+12
209.358 8.32495e+11
501.398 9.59055e+11
1022.34 9.84926e+11
212.339 8.29442e+11
508.538 9.66355e+11
1036.9 9.88604e+11
116.122 1.23526e+12
269.471 1.05448e+12
48.0188 4.72788e+11
913.182 1.08e+12
110.77 1.91815e+12
265.287 4.74309e+12
548.617 5.05036e+12
215.363 1.84447e+12
515.78 4.71654e+12
1051.66 5.07499e+12
218.43 1.84377e+12
523.125 4.71656e+12
1066.64 5.07307e+12
117.776 4.38715e+12
273.308 4.99481e+12
48.7026 3.9586e+12
926.186 4.96578e+12
112.347 6.36829e+11
269.065 1.02561e+13
556.43 7.67046e+12
221.54 1.05192e+12
530.574 1.06292e+13
1081.83 1.48654e+13
224.695 1.03497e+12
538.13 1.08078e+13
1097.23 1.45412e+13
119.453 1.03045e+13
277.2 1.39652e+13
49.3961 1.10366e+13
939.375 1.27121e+13
113.947 8.48129e+12
272.897 3.37964e+13
564.353 4.59709e+13
61.4396 2.40118e+13
142.576 4.07424e+13
25.4065 2.98704e+13
483.16 3.79096e+13
227.895 1.21562e+13
545.793 1.74286e+14
1112.86 5.53827e+14
121.154 2.11163e+14
281.148 2.25922e+14
50.0995 1.28166e+14
952.752 2.87338e+14
1112.86 6.84143e+14
121.154 2.19285e+14
281.148 3.77508e+14
50.0995 1.25288e+14
952.752 4.17564e+14
231.14 1.04999e+13
553.565 1.6498e+14
1128.71 5.64312e+14
122.879 2.12401e+14
285.151 2.28665e+14
50.813 1.25358e+14
966.32 2.87624e+14
1128.71 7.03871e+14
122.879 2.19849e+14
285.151 3.75789e+14
50.813 1.22557e+14
966.32 4.0789e+14
EOD
$lines << EOD
2 1.60088e+13
121.075 9.69134e+14


2 6.02792e+12
321.548 9.69134e+14


2 6.23341e+12
310.948 9.69134e+14


121.075 9.69134e+14
5000 9.69134e+14


115.114 9.21419e+14
5000 9.21419e+14


38.3714 3.0714e+14
5000 3.0714e+14


206.418 7.00307e+14
244.59 7.00307e+14


114.492 3.85695e+14
133.759 3.85695e+14


265.687 8.95038e+14
310.399 8.95038e+14


47.3446 1.59493e+14
55.312 1.59493e+14


60.577 1.92848e+14
63.2019 1.92848e+14


25.0498 7.97463e+13
26.1352 7.97463e+13


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [2:5000]
set yrange [2e+11:2e+15]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of conv2d: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 2.16484, 2.07485e+13 left rotate by 31.6 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 2.41299, 5.85887e+12 left rotate by 31.6 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 2.16484, 8.07893e+12 left rotate by 31.6 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor bf16 969 TFLOP/s, tensor f16 921 TFLOP/s' at 4636.8, 1.12993e+15 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set label 'tensor f16 / 3 307 TFLOP/s' at 4636.8, 3.58099e+14 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 6-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 7-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 8-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 9-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 10-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 11-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 12-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.88 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.96 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.05 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.13 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.21 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.29 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.88 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 8 linecolor rgb "#000000" pointsize 0.96 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.05 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.13 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.21 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 8 linecolor rgb "#000000" pointsize 1.29 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#AAAAAA" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#AAAAAA" pointsize 0.88 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.96 linewidth 1.8 notitle, \
  $points every ::18-1::18-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.05 linewidth 1.8 notitle, \
  $points every ::19-1::19-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.13 linewidth 1.8 notitle, \
  $points every ::20-1::20-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.21 linewidth 1.8 notitle, \
  $points every ::21-1::21-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.29 linewidth 1.8 notitle, \
  $points every ::22-1::22-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.37 linewidth 1.8 notitle, \
  $points every ::23-1::23-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.45 linewidth 1.8 notitle, \
  $points every ::24-1::24-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.54 linewidth 1.8 notitle, \
  $points every ::25-1::25-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.62 linewidth 1.8 notitle, \
  $points every ::26-1::26-1 with points pointtype 8 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::27-1::27-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.37 linewidth 1.8 notitle, \
  $points every ::28-1::28-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.45 linewidth 1.8 notitle, \
  $points every ::29-1::29-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.54 linewidth 1.8 notitle, \
  $points every ::30-1::30-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.62 linewidth 1.8 notitle, \
  $points every ::31-1::31-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::32-1::32-1 with points pointtype 4 linecolor rgb "#AEC8EE" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::33-1::33-1 with points pointtype 4 linecolor rgb "#AEC8EE" pointsize 0.88 linewidth 1.8 notitle, \
  $points every ::34-1::34-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 0.96 linewidth 1.8 notitle, \
  $points every ::35-1::35-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.05 linewidth 1.8 notitle, \
  $points every ::36-1::36-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.13 linewidth 1.8 notitle, \
  $points every ::37-1::37-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.21 linewidth 1.8 notitle, \
  $points every ::38-1::38-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.29 linewidth 1.8 notitle, \
  $points every ::39-1::39-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.37 linewidth 1.8 notitle, \
  $points every ::40-1::40-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.45 linewidth 1.8 notitle, \
  $points every ::41-1::41-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.54 linewidth 1.8 notitle, \
  $points every ::42-1::42-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.62 linewidth 1.8 notitle, \
  $points every ::43-1::43-1 with points pointtype 4 linecolor rgb "#0A58CA" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::44-1::44-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::49-1::49-1 with points pointtype 9 linecolor rgb "#E69F00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::50-1::50-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::51-1::51-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::52-1::52-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::53-1::53-1 with points pointtype 5 linecolor rgb "#F7DFAA" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::54-1::54-1 with points pointtype 5 linecolor rgb "#F7DFAA" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::55-1::55-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::56-1::56-1 with points pointtype 5 linecolor rgb "#F7DFAA" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::57-1::57-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::58-1::58-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::59-1::59-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::60-1::60-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::61-1::61-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::62-1::62-1 with points pointtype 9 linecolor rgb "#56B4E9" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::63-1::63-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::64-1::64-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::65-1::65-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::66-1::66-1 with points pointtype 5 linecolor rgb "#C7E6F8" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::67-1::67-1 with points pointtype 5 linecolor rgb "#C7E6F8" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::68-1::68-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::69-1::69-1 with points pointtype 5 linecolor rgb "#C7E6F8" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::70-1::70-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::71-1::71-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::72-1::72-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::73-1::73-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::74-1::74-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::75-1::75-1 with points pointtype 9 linecolor rgb "#009E73" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::76-1::76-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::77-1::77-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::78-1::78-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::79-1::79-1 with points pointtype 5 linecolor rgb "#AADFD1" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::80-1::80-1 with points pointtype 5 linecolor rgb "#AADFD1" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::81-1::81-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::82-1::82-1 with points pointtype 5 linecolor rgb "#AADFD1" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::83-1::83-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::84-1::84-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::85-1::85-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::86-1::86-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::87-1::87-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::88-1::88-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::89-1::89-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::90-1::90-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::91-1::91-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::92-1::92-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::93-1::93-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::94-1::94-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::95-1::95-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::96-1::96-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::97-1::97-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.37 linewidth 1.0 notitle, \
  $points every ::98-1::98-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.45 linewidth 1.0 notitle, \
  $points every ::99-1::99-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.54 linewidth 1.0 notitle, \
  $points every ::100-1::100-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.62 linewidth 1.0 notitle, \
  $points every ::101-1::101-1 with points pointtype 9 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::102-1::102-1 with points pointtype 5 linecolor rgb "#F1CAAA" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::103-1::103-1 with points pointtype 5 linecolor rgb "#F1CAAA" pointsize 0.88 linewidth 1.0 notitle, \
  $points every ::104-1::104-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.96 linewidth 1.0 notitle, \
  $points every ::105-1::105-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.05 linewidth 1.0 notitle, \
  $points every ::106-1::106-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.13 linewidth 1.0 notitle, \
  $points every ::107-1::107-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.21 linewidth 1.0 notitle, \
  $points every ::108-1::108-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.29 linewidth 1.0 notitle, \
  $points every ::109-1::109-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.37 linewidth 1.0 notitle, \
  $points every ::110-1::110-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.45 linewidth 1.0 notitle, \
  $points every ::111-1::111-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.54 linewidth 1.0 notitle, \
  $points every ::112-1::112-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.62 linewidth 1.0 notitle, \
  $points every ::113-1::113-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'cudnn', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'cudnn_nhwc', \
  NaN with points pointtype 6 linecolor rgb "#0A58CA" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 9 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f16', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.88 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.96 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.05 linewidth 1.6 title 'resnet_stem', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.13 linewidth 1.6 title 'resnet_conv2', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.21 linewidth 1.6 title 'resnet_conv2_expand', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.29 linewidth 1.6 title 'resnet_conv4', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.37 linewidth 1.6 title 'large_nhwc', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.45 linewidth 1.6 title 'resnet_stem_nhwc', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.54 linewidth 1.6 title 'resnet_conv2_nhwc', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.62 linewidth 1.6 title 'resnet_conv2_expand_nhwc', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'resnet_conv4_nhwc', \
  NaN with lines linecolor rgb "white" title 'Method', \
  NaN with points pointtype 7 linecolor rgb "#CACACA" pointsize 1.40 linewidth 1.6 title 'timed otherwise (pale)'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
